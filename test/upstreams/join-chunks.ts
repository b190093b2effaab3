import type {
  ChatAnswer,
  ChatChunk,
  ChatDelta,
  FinishReason,
  Message,
  ToolCall,
  Usage,
} from "../../src/contract/chat.ts";

/** Puts chunks together as clients do, checking the order that every stream keeps; the result is a plain answer. */
export function joinChunks(chunks: readonly ChatChunk[]): ChatAnswer {
  const [first] = chunks;
  if (first?.choices[0]?.delta.role !== "assistant") throw new Error("the first chunk has no role");
  const { id, created, model } = first;
  const calls: ToolCall[] = [];
  const logprobs: unknown[] = [];
  let message: Record<string, unknown> = { role: "assistant", content: null };
  let finish: FinishReason | null = null;
  let usage: Usage | null = null;
  for (const chunk of chunks) {
    if (chunk.id !== id || chunk.created !== created || chunk.model !== model)
      throw new Error("a chunk's head differs");
    if (usage !== null) throw new Error("a chunk follows the usage");
    if (chunk.usage) usage = chunk.usage;
    const [choice] = chunk.choices;
    if (choice === undefined) continue;
    if (finish !== null) throw new Error("a delta follows the finish reason");
    if (choice.delta.role !== undefined && chunk !== first) throw new Error("the role comes twice");
    if (choice.finish_reason !== null && Object.keys(choice.delta).length > 0)
      throw new Error("the last delta is not empty");
    finish = choice.finish_reason;
    message = withDelta(message, choice.delta);
    for (const delta of choice.delta.tool_calls ?? []) calls[delta.index] = withCall(calls[delta.index], delta);
    if (choice.logprobs) logprobs.push(...(choice.logprobs as { content: unknown[] }).content);
  }
  if (finish === null) throw new Error("no finish reason came");
  return {
    id,
    object: "chat.completion",
    created,
    model,
    choices: [
      {
        index: 0,
        message: { ...(message as unknown as Message), ...(calls.length === 0 ? {} : { tool_calls: calls }) },
        finish_reason: finish,
        ...(logprobs.length === 0 ? {} : { logprobs: { content: logprobs, refusal: null } }),
      },
    ],
    ...(usage === null ? {} : { usage }),
  };
}

function withDelta(message: Record<string, unknown>, { role: _role, tool_calls: _calls, ...delta }: ChatDelta) {
  const joined = { ...message };
  for (const [name, value] of Object.entries(delta)) {
    const before = joined[name];
    joined[name] = typeof value === "string" && typeof before === "string" ? before + value : value;
  }
  return joined;
}

function withCall(call: ToolCall | undefined, delta: NonNullable<ChatDelta["tool_calls"]>[number]): ToolCall {
  const piece = delta.function?.arguments ?? "";
  if (call) return { ...call, function: { ...call.function, arguments: call.function.arguments + piece } };
  if (delta.id === undefined || delta.type === undefined || delta.function?.name === undefined) {
    throw new Error("the first piece of a call has no id, type or name");
  }
  return { id: delta.id, type: delta.type, function: { name: delta.function.name, arguments: piece } };
}
