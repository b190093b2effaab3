import type { KeyCaller } from "../../contract/caller.ts";
import type { InferenceCall } from "../../gateway/deps.ts";
import type { Context } from "../../http/route.ts";

type AnyContext = Context<"key" | "session", unknown, unknown, unknown, unknown>;

/** The call behind a request. */
export const callOf = (context: Context<"key", unknown, unknown, unknown, unknown>, model: string): InferenceCall =>
  callAs(context, context.caller, model);

/** The call behind a request that is made in the name of a key. */
export function callAs(context: Omit<AnyContext, "caller">, caller: KeyCaller, model: string): InferenceCall {
  const { callId, receivedAtMs, request, connection, path } = context;
  const source = {
    endpoint: path,
    address: connection.remoteAddress,
    userAgent: request.headers.get("user-agent"),
    tags: request.headers.get("x-gw-tags"),
  };
  const header = (name: string) => request.headers.get(name);
  return { caller, model, callId, receivedAtMs, signal: request.signal, header, told: {}, connection, source };
}
