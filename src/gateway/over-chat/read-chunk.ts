import type { ChatChunk } from "../../contract/chat.ts";
import { GatewayError } from "../../contract/errors.ts";
import { isRecord } from "../../lib/json.ts";

type Test = (value: unknown) => boolean;
const isText: Test = (value) => value === undefined || value === null || typeof value === "string";
const isCount: Test = (value) => typeof value === "number" && value >= 0 && Number.isFinite(value);
const isCalled: Test = (value) =>
  value === undefined || value === null || (isRecord(value) && isText(value.name) && isText(value.arguments));
const isCall: Test = (value) => isRecord(value) && isText(value.id) && isCalled(value.function);
const isCalls: Test = (value) => value === undefined || value === null || (Array.isArray(value) && value.every(isCall));
const isDelta: Test = (value) =>
  value === undefined || value === null || (isRecord(value) && isText(value.content) && isCalls(value.tool_calls));
const isChoice: Test = (value) => isRecord(value) && isDelta(value.delta) && isText(value.finish_reason);
const isUsage: Test = (value) =>
  value === undefined ||
  value === null ||
  (isRecord(value) && [value.prompt_tokens, value.completion_tokens, value.total_tokens].every(isCount));

/** A piece of a streamed answer for who has to understand it: callers of a chat get what a provider says as it is. */
export function readChunk(data: unknown): ChatChunk {
  const choices = isRecord(data) ? (data.choices ?? []) : null;
  if (!isRecord(data) || !Array.isArray(choices) || !choices.every(isChoice) || !isUsage(data.usage)) {
    throw new GatewayError("upstream", "The provider's answer is not one of a chat model.");
  }
  const whole = choices.map((choice) => ({ ...(choice as object), delta: (choice as { delta?: object }).delta ?? {} }));
  return { ...data, choices: whole } as unknown as ChatChunk;
}
