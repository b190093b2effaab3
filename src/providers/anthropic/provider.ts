import type { Operation } from "../../contract/params.ts";
import type { Provider } from "../dialect.ts";
import { anthropicChat } from "./chat.ts";
import { classifyAnthropic, TITLE } from "./failure.ts";
import { modelTraits } from "./model-traits.ts";
import { hasBlank } from "./stop-sequences.ts";

const CHAT = [
  "function_call",
  "functions",
  "max_completion_tokens",
  "max_tokens",
  "parallel_tool_calls",
  "response_format",
  "safety_identifier",
  "service_tier",
  "stop",
  "stream",
  "stream_options",
  "tool_choice",
  "tools",
  "user",
];
const COMPLETION = ["max_tokens", "stop", "stream", "stream_options", "user"];

export const anthropic: Provider = {
  id: "anthropic",
  title: TITLE,
  chat: anthropicChat,
  supportedParams(operation, model) {
    const { sampling, thinking } = modelTraits(model);
    if (operation !== "chat" && operation !== "completion") return [];
    return [
      ...byOperation(operation),
      ...(sampling === "none" ? [] : ["temperature", "top_p"]),
      ...(operation === "chat" && thinking !== "none" ? ["reasoning_effort"] : []),
    ];
  },
  unsupportedValue: ({ stop }) => (hasBlank(stop) ? BLANK_STOP : null),
  chatApi: () => "anthropic",
  conflicting: (_, model) => (modelTraits(model).sampling === "none" ? ["top_k"] : []),
  messagesForm: () => "whole",
  classify: classifyAnthropic,
};

const BLANK_STOP = { param: "stop", reason: "takes no stop sequence of white space alone" };

const byOperation = (operation: Operation): readonly string[] => (operation === "chat" ? CHAT : COMPLETION);
