import type { ErrorKind } from "../../contract/errors.ts";

/** What any call of a model can be answered with. */
export const INFERENCE_ERRORS: readonly ErrorKind[] = [
  "invalid_request",
  "unsupported_params",
  "content_policy",
  "context_window",
  "price_unknown",
  "permission",
  "team_blocked",
  "model_not_found",
  "timeout",
  "rate_limit",
  "insufficient_quota",
  "budget_exceeded",
  "upstream",
  "upstream_authentication",
  "upstream_unavailable",
  "connection",
];
