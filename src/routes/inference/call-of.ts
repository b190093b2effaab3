import type { InferenceCall } from "../../gateway/deps.ts";
import type { Context } from "../../http/route.ts";

/** The call behind a request. */
export function callOf(context: Context<"key", unknown, unknown, unknown, unknown>, model: string): InferenceCall {
  const { caller, callId, receivedAtMs, request, connection } = context;
  return { caller, model, callId, receivedAtMs, signal: request.signal, connection };
}
