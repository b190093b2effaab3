import type { Operation } from "../../contract/params.ts";

/** What chats and responses both have, be it under another name. `n`, `stop`, `seed`, penalties and biases are a chat's alone. */
const CARRIED: ReadonlySet<string> = new Set(
  `logprobs max_completion_tokens max_tokens parallel_tool_calls prompt_cache_key reasoning_effort response_format
   safety_identifier service_tier store stream stream_options temperature tool_choice tools top_logprobs top_p user
   verbosity`.split(/\s+/),
);

/** Of what the model takes in a chat, what it takes here. */
export const responsesParams = (operation: Operation, ofChat: readonly string[]): readonly string[] =>
  operation === "chat" || operation === "completion" ? ofChat.filter((name) => CARRIED.has(name)) : [];
