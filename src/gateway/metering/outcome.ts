import { ERRORS, GatewayError } from "../../contract/errors.ts";
import type { CallStatus, CallUnits } from "../../contract/usage.ts";
import { tracelessError } from "../../lib/traceless-error.ts";
import type { ResolvedTarget } from "../attempts/resolve-target.ts";
import { retryAfterOf } from "../attempts/retry-policy.ts";
import type { AttemptResult } from "../routing/router.ts";

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
export const CLIENT_DISCONNECTED = tracelessError("the caller left");

/** How a call ended, as the log has it. */
export interface Outcome {
  readonly status: CallStatus;
  readonly statusCode: number;
  readonly errorCode: string | null;
}

const SUCCEEDED: Outcome = { status: "succeeded", statusCode: 200, errorCode: null };

export function outcome(status: CallStatus, thrown: unknown): Outcome {
  if (status === "succeeded") return SUCCEEDED;
  if (status === "cancelled") return { status, statusCode: CLIENT_LEFT, errorCode: "client_left" };
  const kind = thrown instanceof GatewayError ? thrown.kind : "internal";
  const { status: statusCode, code } = ERRORS[kind];
  // Of an answer that broke off the first byte had been sent, and with it the status of success.
  return { status, statusCode: status === "partial" ? 200 : statusCode, errorCode: code };
}

/** A deployment that takes longer than this is slow, however long it might be waited for. */
const SLOW_MS = 30_000;

/** What a try says about its deployment depends on what the caller had a hand in. */
type Tried = Pick<ResolvedTarget, "timeoutMs" | "streamTimeoutMs" | "usual" | "hasOwnAccess">;

/** The same as the router sees it: what is the caller's doing says nothing about the deployment. */
export function attemptResult(
  status: CallStatus,
  thrown: unknown,
  units: CallUnits,
  nowMs: number,
  tried: Tried,
): AttemptResult {
  const isTold = thrown instanceof GatewayError && status !== "cancelled" && !isCallersDoing(thrown, tried);
  const failure = isTold ? thrown : null;
  return {
    ok: status === "succeeded" && !tried.hasOwnAccess,
    kind: failure?.kind ?? null,
    retryAfterMs: failure && retryAfterOf(failure, nowMs),
    promptTokens: units.promptTokens,
    completionTokens: units.completionTokens,
  };
}

/** A key or an address of the caller's own failed, or the caller was in more of a hurry than anybody else. */
function isCallersDoing({ kind }: GatewayError, tried: Tried): boolean {
  return tried.hasOwnAccess || (kind === "timeout" && isHurried(tried));
}

/** Limits are kept to within this, and as much of a caller's is gone before the model is asked. */
const KEPT_TO_MS = 100;

const isHurried = ({ timeoutMs, streamTimeoutMs, usual }: Tried): boolean =>
  timeoutMs + KEPT_TO_MS < Math.min(SLOW_MS, usual.timeoutMs) ||
  streamTimeoutMs < Math.min(SLOW_MS, usual.streamTimeoutMs);
