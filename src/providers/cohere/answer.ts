import type { FinishReason } from "../../contract/chat.ts";
import { GatewayError } from "../../contract/errors.ts";
import { isRecord } from "../../lib/json.ts";
import { cohereError } from "./failure.ts";

/** Reasons that have no equal in OpenAI's interface are plain stops; those of a failure are thrown. */
const FINISH_REASONS: ReadonlyMap<unknown, FinishReason> = new Map([
  ["COMPLETE", "stop"],
  ["STOP_SEQUENCE", "stop"],
  ["MAX_TOKENS", "length"],
  ["ERROR_LIMIT", "length"],
  ["ERROR_TOXIC", "content_filter"],
  ["TOOL_CALL", "tool_calls"],
]);

/** An answer that failed on the way is no answer, even if a part of it was written. */
export function finishReason(reason: unknown, hasCalls: boolean, error: unknown): FinishReason {
  if (reason === "TIMEOUT") throw new GatewayError("timeout", "Cohere stopped the answer at its own time limit.");
  if (reason === "ERROR") throw cohereError(typeof error === "string" ? error : "the answer failed.");
  const mapped = FINISH_REASONS.get(reason) ?? "stop";
  return hasCalls && mapped !== "length" && mapped !== "content_filter" ? "tool_calls" : mapped;
}

/** Between the parts of the reasoning: several blocks of thinking, and the plan of the calls. */
export const REASONING_BREAK = "\n\n";

/** Cohere gives the probability of every token of a piece of text; the piece has that of all of them together. */
export function logprobItem(item: unknown): object | null {
  if (!isRecord(item) || !Array.isArray(item.logprobs)) return null;
  const logprob = item.logprobs.reduce((sum: number, one: unknown) => sum + (typeof one === "number" ? one : 0), 0);
  return { token: typeof item.text === "string" ? item.text : "", logprob, bytes: null, top_logprobs: [] };
}

export const malformed = (what: string): GatewayError => new GatewayError("upstream", `Cohere's answer ${what}.`);
