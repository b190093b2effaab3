import type { FinishReason } from "../../contract/chat.ts";

const FINISH: ReadonlyMap<string, FinishReason> = new Map([
  ["max_tokens", "length"],
  ["model_context_window_exceeded", "length"],
  ["refusal", "content_filter"],
]);

/** `end_turn`, `stop_sequence`, `pause_turn`, `tool_use` and reasons still unknown: a stop, or a call where there is one. */
export function finishReason(stopReason: string, called: "tool_calls" | "function_call" | null): FinishReason {
  return FINISH.get(stopReason) ?? called ?? "stop";
}
