import type { Operation } from "../../contract/params.ts";
import { searchesInResponses } from "../openai/models.ts";

/** What chats and responses both have, be it under another name. `n`, `stop`, `seed`, penalties and biases are a chat's alone. */
const CARRIED: ReadonlySet<string> = new Set(
  `logprobs max_completion_tokens max_tokens parallel_tool_calls prompt_cache_key reasoning_effort response_format
   safety_identifier service_tier store stream stream_options temperature tool_choice tools top_logprobs top_p user
   verbosity`.split(/\s+/),
);

/** Parameters that a model accepts in Responses: those of its chats, and web search, which becomes a tool. */
export function responsesParams(operation: Operation, ofChat: readonly string[], model: string): readonly string[] {
  if (operation !== "chat" && operation !== "completion") return [];
  const carried = ofChat.filter((name) => CARRIED.has(name));
  return operation === "chat" && searchesInResponses(model) ? [...carried, "web_search_options"] : carried;
}
