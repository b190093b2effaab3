import { ERRORS, GatewayError } from "../../contract/errors.ts";
import type { CallStatus, CallUnits } from "../../contract/usage.ts";
import { retryAfterOf } from "../attempts/retry-rules.ts";
import type { TryEnding } from "../router/router.ts";

/** What a caller that has left is answered, in the log alone. */
const CLIENT_LEFT = 499;

/** How a call ended; told once, to whoever waits for it. */
export interface CallEnding {
  readonly status: CallStatus;
  readonly units: CallUnits;
  readonly estimated: boolean;
  /** In nano-USD. */
  readonly cost: bigint;
  readonly thrown: unknown;
}

/** The caller does not read the answer any more. */
export const CALLER_LEFT = new Error("the caller left");

/** How a call ended, as the log has it. */
export function outcome(
  status: CallStatus,
  thrown: unknown,
): { status: CallStatus; statusCode: number; errorCode: string | null } {
  if (status === "succeeded") return { status, statusCode: 200, errorCode: null };
  if (status === "cancelled") return { status, statusCode: CLIENT_LEFT, errorCode: "client_left" };
  const kind = thrown instanceof GatewayError ? thrown.kind : "internal";
  const { status: statusCode, code } = ERRORS[kind];
  // Of an answer that broke off the first byte had been sent, and with it the status of success.
  return { status, statusCode: status === "partial" ? 200 : statusCode, errorCode: code };
}

/** The same as the router sees it: what is the caller's doing says nothing about the deployment. */
export function tryEnding(status: CallStatus, thrown: unknown, units: CallUnits, nowMs: number): TryEnding {
  const failure = thrown instanceof GatewayError && status !== "cancelled" ? thrown : null;
  return {
    ok: status === "succeeded",
    kind: failure?.kind ?? null,
    retryAfterMs: failure && retryAfterOf(failure, nowMs),
    promptTokens: units.promptTokens,
    completionTokens: units.completionTokens,
  };
}
