import type { FinishReason } from "../../contract/chat.ts";
import { GatewayError } from "../../contract/errors.ts";
import { brokenAnswer, TITLE } from "./title.ts";

const BY_STOP_REASON: Readonly<Record<string, FinishReason>> = {
  end_turn: "stop",
  stop_sequence: "stop",
  // Whether a call was made is seen from the calls: the one that hands over JSON is none.
  tool_use: "stop",
  max_tokens: "length",
  model_context_window_exceeded: "length",
  guardrail_intervened: "content_filter",
  content_filtered: "content_filter",
};

/** A reason that is new to us ends the answer like any other. */
export function finishReason(stopReason: unknown, called: "tool_calls" | "function_call" | null): FinishReason {
  if (typeof stopReason !== "string") throw brokenAnswer("has no stopReason");
  if (stopReason === "malformed_model_output" || stopReason === "malformed_tool_use") {
    throw new GatewayError("upstream", `${TITLE}: the model's answer is malformed (${stopReason}).`);
  }
  const reason = Object.hasOwn(BY_STOP_REASON, stopReason) ? BY_STOP_REASON[stopReason] : undefined;
  return reason === undefined || reason === "stop" ? (called ?? "stop") : reason;
}
