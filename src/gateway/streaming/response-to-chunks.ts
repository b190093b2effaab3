import { isRecord } from "../../lib/json.ts";

type Fields = Readonly<Record<string, unknown>>;

/**
 * The chunks that an answer would have come in, had it been streamed: for each choice who speaks, what is said and how it ends,
 * and then the count. Of a text completion each choice is one chunk.
 */
export function responseToChunks({ choices, usage, ...rest }: Fields): Fields[] {
  const listed = (Array.isArray(choices) ? choices : []).filter(isRecord);
  const isChat = listed.some((choice) => isRecord(choice.message));
  const head = isChat ? { ...rest, object: "chat.completion.chunk" } : rest;
  const parts = listed.flatMap((choice, at) =>
    isRecord(choice.message) ? partsOf(choice, choice.message, at) : choice,
  );
  const chunks: Fields[] = parts.map((choice) => ({ ...head, choices: [choice] }));
  return isRecord(usage) ? [...chunks, { ...head, choices: [], usage }] : chunks;
}

function partsOf(choice: Fields, message: Fields, at: number): Fields[] {
  const { role, tool_calls: calls, ...said } = message;
  const index = choice.index ?? at;
  const { message: _message, finish_reason: reason, ...beside } = choice;
  const called = Array.isArray(calls) && calls.length > 0;
  const delta = called ? { ...said, tool_calls: calls.map(numbered) } : said;
  return [
    { index, delta: { role: role ?? "assistant" }, finish_reason: null },
    { ...beside, index, delta, finish_reason: null },
    { index, delta: {}, finish_reason: reason ?? (called ? "tool_calls" : "stop") },
  ];
}

const numbered = (call: unknown, index: number): unknown => (isRecord(call) ? { ...call, index } : call);
