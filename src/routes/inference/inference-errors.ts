import type { ErrorKind } from "../../contract/errors.ts";

/** What any call of a model can be answered with. */
export const INFERENCE_ERRORS: readonly ErrorKind[] = [
  "invalid_request",
  "unsupported_params",
  "content_policy",
  "context_window",
  "permission",
  "team_blocked",
  "model_not_found",
  "timeout",
  "rate_limit",
  "upstream",
  "upstream_authentication",
  "upstream_unavailable",
  "connection",
];
