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

/** In one sentence, with the fields at fault. */
export function messageOf(error: GatewayError): string {
  if (error.faults.length === 0) return error.message;
  return error.faults.map((fault) => `${fieldName(fault)}: ${fault.msg}`).join("; ");
}

const fieldName = (fault: FieldFault): string => fault.loc.slice(1).join(".") || String(fault.loc[0] ?? "request");
