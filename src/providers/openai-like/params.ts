import { OPENAI_PARAMS, type Operation } from "../../contract/params.ts";
import type { Row } from "./row.ts";

const words = (text = ""): readonly string[] => text.split(/\s+/).filter((word) => word !== "");

/** What nearly every upstream of the family takes in a chat. */
const COMMON_CHAT = words(`
  frequency_penalty logit_bias logprobs max_completion_tokens max_tokens n parallel_tool_calls presence_penalty
  response_format seed stop stream stream_options temperature tool_choice tools top_logprobs top_p user`);

/** A server of the operator's own takes what it takes: nothing is held back. */
export const EVERY_PARAM = OPENAI_PARAMS.chat.filter((param) => !COMMON_CHAT.includes(param)).join(" ");

export function rowParams(row: Row, operation: Operation, model: string): readonly string[] {
  if (operation !== "chat") {
    const listed = row.params?.[operation];
    return listed === undefined ? OPENAI_PARAMS[operation] : words(listed);
  }
  const lacks = new Set(words(row.lacks));
  for (const limit of row.lacksByModel ?? []) {
    if (limit.models.test(model)) for (const param of words(limit.lacks)) lacks.add(param);
  }
  return [...COMMON_CHAT, ...words(row.adds)].filter((param) => !lacks.has(param));
}
