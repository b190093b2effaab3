import type { KeyCaller } from "../contract/caller.ts";
import type { Clock } from "../lib/clock.ts";
import { compileEndpoints } from "./endpoints.ts";
import { type Connection, NO_BYTES, type Route } from "./route.ts";

export interface InnerCall {
  readonly path: string;
  /** The id that its records will have. */
  readonly callId: string;
  readonly caller: KeyCaller;
  readonly body: unknown;
  readonly headers: Headers;
  readonly address: string | null;
  /** What the usage log has as its endpoint. */
  readonly shownPath: string;
  readonly signal: AbortSignal;
}

/**
 * Calls operations of JSON in the name of a caller, without a request of anybody's: what a body must be and what becomes of
 * it is the same. What a call is refused with is thrown.
 */
export function createInProcessClient(routes: readonly Route[], clock: Clock): (call: InnerCall) => Promise<Response> {
  const { literal } = compileEndpoints(routes);
  return async ({ path, callId, caller, body, headers, address, shownPath, signal }) => {
    const operation = literal.get(path)?.operations.get("POST");
    if (!operation) throw new Error(`${path} is not among the operations`);
    const connection: Connection = { keepOpen: () => undefined, release: () => undefined, remoteAddress: address };
    return operation.route.handle({
      request: new Request(`http://inner${path}`, { method: "POST", headers, signal }),
      connection,
      callId,
      receivedAtMs: clock.monotonicMs(),
      path: shownPath,
      caller,
      params: {},
      query: {},
      body: operation.body ? operation.body.read(body) : body,
      form: undefined,
      rawBody: NO_BYTES,
    });
  };
}
