import type { Operation } from "../../contract/params.ts";
import { modelTraits } from "../anthropic/model-traits.ts";
import { embeddingParams } from "./embedding-models.ts";
import { type BedrockModel, parseModel } from "./model.ts";

const ALL_CHAT = [
  "max_tokens",
  "max_completion_tokens",
  "stop",
  "stream",
  "stream_options",
  "tools",
  "tool_choice",
  "functions",
  "function_call",
  "response_format",
  "service_tier",
  "user",
];

export function supportedParams(operation: Operation, name: string): readonly string[] {
  const model = parseModel(name);
  if (operation === "embedding") return embeddingParams(model.id);
  if (operation !== "chat") return [];
  return [
    ...ALL_CHAT,
    ...(takesSampling(model) ? ["temperature", "top_p"] : []),
    ...(takesEffort(model) ? ["reasoning_effort"] : []),
    ...(canCallOneByOne(model) ? ["parallel_tool_calls"] : []),
  ];
}

const takesSampling = ({ family, id }: BedrockModel): boolean =>
  family !== "claude" || modelTraits(id).sampling !== "none";

function takesEffort({ family, id }: BedrockModel): boolean {
  if (family === "claude") return modelTraits(id).thinking !== "none";
  return family === "gpt-oss" || isReasoningNova(id);
}

export const isReasoningNova = (id: string): boolean => /amazon\.nova-[2-9]/.test(id);

/** Older Claude models refuse their own `tool_choice` beside Converse's fields; other families have no such switch. */
export const canCallOneByOne = ({ family, id }: BedrockModel): boolean =>
  family === "claude" && modelTraits(id).nativeFormat;
