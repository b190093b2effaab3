import { ERRORS, type ErrorKind, type ErrorSpec, type FieldFault, type GatewayError } from "./errors.ts";

/** What the platform has a code for that the contract also promises to callers of models. */
const TOLD_TO_CALLERS: readonly ErrorKind[] = [
  "insufficient_quota",
  "budget_exceeded",
  "team_blocked",
  "model_not_found",
];

/** The gateway's error body, in the shape that OpenAI's clients read, with the contract's name beside it. */
export function gatewayErrorBody(error: GatewayError): object {
  const { type, code, name, management }: ErrorSpec = ERRORS[error.kind];
  const platform = TOLD_TO_CALLERS.includes(error.kind) ? { platform_code: management } : {};
  const [fault] = error.faults;
  const param = error.param ?? (fault ? fieldName(fault) : null);
  return { error: { message: messageOf(error), type, param, code, name, ...platform } };
}

/** `error.type` as Anthropic's clients know it: it goes by the status alone. */
const ANTHROPIC_TYPES: Readonly<Record<number, string>> = {
  401: "authentication_error",
  402: "billing_error",
  403: "permission_error",
  404: "not_found_error",
  413: "request_too_large",
  429: "rate_limit_error",
  504: "timeout_error",
  529: "overloaded_error",
};

/** What an error is on the paths of Anthropic's interface. */
export function anthropicError(kind: ErrorKind): { readonly status: number; readonly type: string } {
  const spec: ErrorSpec = ERRORS[kind];
  const status = spec.anthropicStatus ?? spec.status;
  return { status, type: ANTHROPIC_TYPES[status] ?? (status < 500 ? "invalid_request_error" : "api_error") };
}

/** The error body that Anthropic's clients read. */
export const anthropicErrorBody = (error: GatewayError, requestId: string): object => ({
  type: "error",
  error: {
    type: anthropicError(error.kind).type,
    message: messageOf(error),
    ...(error.details && { details: error.details }),
  },
  request_id: requestId,
});

/** `error.status` as Google's clients know it: it goes by the status alone. */
const GOOGLE_STATUSES: Readonly<Record<number, string>> = {
  401: "UNAUTHENTICATED",
  403: "PERMISSION_DENIED",
  404: "NOT_FOUND",
  409: "ABORTED",
  429: "RESOURCE_EXHAUSTED",
  503: "UNAVAILABLE",
  504: "DEADLINE_EXCEEDED",
};

/** What an error is on the paths of Google's interface. */
export function googleError(kind: ErrorKind): { readonly code: number; readonly status: string } {
  const spec: ErrorSpec = ERRORS[kind];
  const code = spec.googleStatus ?? spec.status;
  return { code, status: GOOGLE_STATUSES[code] ?? (code < 500 ? "INVALID_ARGUMENT" : "INTERNAL") };
}

/** The error body that Google's clients read. Those that wait by themselves look for the time in it. */
export function googleErrorBody(error: GatewayError): object {
  const { code, status } = googleError(error.kind);
  const seconds = error.headers["retry-after"];
  const wait = { "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: `${seconds}s` };
  return { error: { code, message: messageOf(error), status, ...(seconds && { details: [wait] }) } };
}

/** In one sentence, with the fields at fault. */
export function messageOf(error: GatewayError): string {
  if (error.faults.length === 0) return error.message;
  return error.faults.map((fault) => `${fieldName(fault)}: ${fault.msg}`).join("; ");
}

const fieldName = (fault: FieldFault): string => fault.loc.slice(1).join(".") || String(fault.loc[0] ?? "request");
