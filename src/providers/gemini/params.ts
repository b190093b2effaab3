import type { Operation } from "../../contract/params.ts";
import { modelTraits } from "./model.ts";

/**
 * `user` is listed although Google has no field for it: it only serves a provider's own watch, and clients send it
 * without thought. `parallel_tool_calls: false` is kept by answering with the first call alone.
 */
const CHAT = [
  "frequency_penalty",
  "function_call",
  "functions",
  "logprobs",
  "max_completion_tokens",
  "max_tokens",
  "modalities",
  "n",
  "parallel_tool_calls",
  "presence_penalty",
  "response_format",
  "seed",
  "stop",
  "stream",
  "stream_options",
  "temperature",
  "tool_choice",
  "tools",
  "top_logprobs",
  "top_p",
  "user",
  "web_search_options",
];
const COMPLETION = [
  "frequency_penalty",
  "max_tokens",
  "n",
  "presence_penalty",
  "seed",
  "stop",
  "stream",
  "stream_options",
  "temperature",
  "top_p",
  "user",
];

/** The OpenAI parameters that Gemini models honour. */
export function googleParams(operation: Operation, model: string): readonly string[] {
  if (operation === "chat") return modelTraits(model).thinks ? [...CHAT, "reasoning_effort"] : CHAT;
  if (operation === "completion") return COMPLETION;
  return operation === "embedding" ? ["dimensions", "encoding_format", "user"] : [];
}

/** Gemini refuses Google Search in a request that also offers functions. */
export function searchAmongFunctions({ tools, functions }: Readonly<Record<string, unknown>>): readonly string[] {
  const offered = [tools, functions].some((list) => Array.isArray(list) && list.length > 0);
  return offered ? ["web_search_options"] : [];
}
