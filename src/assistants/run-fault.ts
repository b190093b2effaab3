import { type ErrorKind, GatewayError } from "../contract/errors.ts";
import type { RunFault } from "./run-records.ts";

const LIMITS: ReadonlySet<ErrorKind> = new Set(["rate_limit", "insufficient_quota", "budget_exceeded"]);
const PROMPTS: ReadonlySet<ErrorKind> = new Set([
  "invalid_request",
  "unsupported_params",
  "content_policy",
  "context_window",
  "validation",
  // A picture or a vector store that the thread names and that was deleted since.
  "not_found",
]);

/** Why a run has failed, in the words that a plain call would have been refused with. */
export function faultOf(thrown: unknown): RunFault {
  if (!(thrown instanceof GatewayError)) return { code: "server_error", message: "The run failed on our side." };
  const code = LIMITS.has(thrown.kind)
    ? "rate_limit_exceeded"
    : PROMPTS.has(thrown.kind)
      ? "invalid_prompt"
      : "server_error";
  return { code, message: thrown.message };
}
