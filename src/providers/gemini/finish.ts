import type { FinishReason } from "../../contract/chat.ts";

const REASONS: Readonly<Record<string, FinishReason>> = {
  MAX_TOKENS: "length",
  SAFETY: "content_filter",
  RECITATION: "content_filter",
  LANGUAGE: "content_filter",
  BLOCKLIST: "content_filter",
  PROHIBITED_CONTENT: "content_filter",
  SPII: "content_filter",
  MODEL_ARMOR: "content_filter",
  IMAGE_SAFETY: "content_filter",
  IMAGE_PROHIBITED_CONTENT: "content_filter",
  IMAGE_RECITATION: "content_filter",
};

/** The model wrote a call that cannot be read. An answer without a word, ended so, is a failure and no answer. */
const FAULTS = new Set([
  "MALFORMED_FUNCTION_CALL",
  "UNEXPECTED_TOOL_CALL",
  "TOO_MANY_TOOL_CALLS",
  "MALFORMED_RESPONSE",
  "MISSING_THOUGHT_SIGNATURE",
]);

export const isFault = (reason: string): boolean => FAULTS.has(reason);

/** Reasons that are not listed, such as STOP and OTHER, are a plain end. */
export function finishReason(reason: string, called: "tool_calls" | "function_call" | null): FinishReason {
  const found = Object.hasOwn(REASONS, reason) ? REASONS[reason] : undefined;
  return found ?? called ?? "stop";
}
