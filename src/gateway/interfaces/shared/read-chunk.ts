import type { ChatChunk, ChatDelta, ToolCallDelta, Usage } from "../../../contract/chat.ts";
import { GatewayError } from "../../../contract/errors.ts";
import { isRecord, textOf } from "../../../lib/json.ts";
import type { Fields } from "../../call/gateway.ts";

/**
 * A piece of a streamed answer for who has to understand it: callers of a chat get what a provider says as it is. It is paid
 * for, so it is read as far as it can be. Of several answers to one question, the first is read, unless all are wanted.
 */
export function readChunk(data: unknown, everyChoice = false): ChatChunk {
  const choices = isRecord(data) ? (data.choices ?? []) : null;
  if (!isRecord(data) || !Array.isArray(choices)) {
    throw new GatewayError("upstream", "The provider's answer is not one of a chat model.");
  }
  const known: Fields[] = choices.filter(isRecord);
  const read = everyChoice ? known : known.filter(({ index }) => (index ?? 0) === 0).slice(0, 1);
  return { ...data, choices: read.map(choiceOf), usage: usageOf(data.usage) } as unknown as ChatChunk;
}

const choiceOf = ({ delta, finish_reason, ...choice }: Fields) => ({
  ...choice,
  delta: isRecord(delta) ? deltaOf(delta) : {},
  finish_reason: textOf(finish_reason) ?? null,
});

const deltaOf = (delta: Fields): ChatDelta => ({
  ...delta,
  content: wordsIn(delta.content),
  reasoning_content: textOf(delta.reasoning_content) ?? "",
  thinking_blocks: recordsIn(delta.thinking_blocks),
  tool_calls: recordsIn(delta.tool_calls).map(callOf),
});

export const recordsIn = (list: unknown): Record<string, unknown>[] =>
  Array.isArray(list) ? list.filter(isRecord) : [];

/** What was said, which some providers give in parts. */
export function wordsIn(content: unknown): string {
  if (typeof content === "string") return content;
  return recordsIn(content)
    .map(({ text }) => textOf(text) ?? "")
    .join("");
}

function callOf({ index, id, function: called, ...call }: Fields): ToolCallDelta {
  const { name, arguments: given } = isRecord(called) ? called : ({} as Fields);
  const [ownId, ownName] = [textOf(id), textOf(name)];
  return {
    ...call,
    index: index as number,
    ...(ownId == null ? {} : { id: ownId }),
    function: {
      ...(ownName == null ? {} : { name: ownName }),
      arguments: isRecord(given) ? JSON.stringify(given) : (textOf(given) ?? ""),
    },
  };
}

function usageOf(usage: unknown): Usage | null {
  if (!isRecord(usage)) return null;
  const [prompt_tokens, completion_tokens] = [count(usage.prompt_tokens), count(usage.completion_tokens)];
  return {
    ...usage,
    prompt_tokens,
    completion_tokens,
    total_tokens: count(usage.total_tokens) || prompt_tokens + completion_tokens,
    prompt_tokens_details: countsIn(usage.prompt_tokens_details),
    completion_tokens_details: countsIn(usage.completion_tokens_details),
  };
}

const countsIn = (details: unknown): Record<string, number> =>
  isRecord(details) ? Object.fromEntries(Object.entries(details).map(([name, value]) => [name, count(value)])) : {};

const count = (value: unknown): number =>
  typeof value === "number" && value > 0 && Number.isFinite(value) ? Math.floor(value) : 0;
