import {
  anthropicError,
  anthropicErrorBody,
  gatewayErrorBody,
  googleError,
  googleErrorBody,
  messageOf,
} from "../contract/error-body.ts";
import { ERRORS, type ErrorSpec, GatewayError } from "../contract/errors.ts";
import type { ErrorFormat } from "./route.ts";

/** Four renderings of one error, by the side of the program that was called. */
export function renderError(errorFormat: ErrorFormat, error: GatewayError, callId: string): Response {
  const spec: ErrorSpec = ERRORS[error.kind];
  const headers: Record<string, string> = { ...error.headers };
  if (errorFormat === "management") {
    const status = spec.managementStatus ?? spec.status;
    if (status === 401) headers["www-authenticate"] = "Bearer";
    return Response.json({ error: messageOf(error), code: spec.management }, { status, headers });
  }
  if (errorFormat === "anthropic") {
    if (!spec.retry) headers["x-should-retry"] = "false";
    return Response.json(anthropicErrorBody(error, callId), { status: anthropicError(error.kind).status, headers });
  }
  if (errorFormat === "google")
    return Response.json(googleErrorBody(error), { status: googleError(error.kind).code, headers });
  if (spec.status === 429 && !spec.retry) headers["x-should-retry"] = "false";
  const body = gatewayErrorBody(error);
  // `detail` is the contract's; clients of OpenAI look only into `error`, and told nothing but the status without it.
  const shown = error.kind === "validation" ? { detail: error.faults, ...body } : body;
  return Response.json(shown, { status: spec.status, headers });
}

/** Whatever was thrown becomes one of ours; the original stays as the cause for the log. */
export function toGatewayError(thrown: unknown): GatewayError {
  if (thrown instanceof GatewayError) return thrown;
  return new GatewayError("internal", "Something went wrong on our side. Quote `x-gw-call-id` when you report it.", {
    cause: thrown,
  });
}
