import type { InferenceCall } from "../../gateway/deps.ts";
import type { Context } from "../../http/route.ts";

/** The call behind a request. Whatever waits for a model holds its own time limits, not the server's. */
export function callOf(context: Context<"key", unknown, unknown, unknown, unknown>, model: string): InferenceCall {
  context.connection.keepOpen();
  const { caller, callId, receivedAtMs, request } = context;
  return { caller, model, callId, receivedAtMs, signal: request.signal };
}
