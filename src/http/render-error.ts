import { gatewayErrorBody } from "../contract/error-body.ts";
import { ERRORS, type ErrorSpec, type FieldFault, GatewayError } from "../contract/errors.ts";
import type { Face } from "./route.ts";

/** Two renderings of one error, by the side of the program that was called. */
export function renderError(face: Face, error: GatewayError): Response {
  const spec: ErrorSpec = ERRORS[error.kind];
  const headers: Record<string, string> = { ...error.headers };
  if (face === "management") {
    const status = spec.managementStatus ?? spec.status;
    if (status === 401) headers["www-authenticate"] = "Bearer";
    return Response.json({ error: managementMessage(error), code: spec.management }, { status, headers });
  }
  if (spec.status === 429 && !spec.retry) headers["x-should-retry"] = "false";
  if (error.kind === "validation") return Response.json({ detail: error.faults }, { status: spec.status, headers });
  return Response.json(gatewayErrorBody(error), { status: spec.status, headers });
}

/** The management body has one string: the fields at fault are named in it. */
function managementMessage(error: GatewayError): string {
  if (error.faults.length === 0) return error.message;
  return error.faults.map((fault) => `${fieldName(fault)}: ${fault.msg}`).join("; ");
}

const fieldName = (fault: FieldFault): string => fault.loc.slice(1).join(".") || String(fault.loc[0] ?? "request");

/** Whatever was thrown becomes one of ours; the original stays as the cause for the log. */
export function toGatewayError(thrown: unknown): GatewayError {
  if (thrown instanceof GatewayError) return thrown;
  return new GatewayError("internal", "Something went wrong on our side. Quote `x-gw-call-id` when you report it.", {
    cause: thrown,
  });
}
