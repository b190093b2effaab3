import { ERRORS, type ErrorSpec, type GatewayError } from "./errors.ts";

/** Codes of the platform that the contract also promises to callers of models. */
const TOLD_TO_CALLERS: readonly string[] = ["QUOTA_EXCEEDED", "TEAM_BLOCKED"];

/** The gateway's error body, in the shape that OpenAI's clients read, with the contract's name beside it. */
export function gatewayErrorBody(error: GatewayError): object {
  const { type, code, name, management }: ErrorSpec = ERRORS[error.kind];
  const platform = TOLD_TO_CALLERS.includes(management) ? { platform_code: management } : {};
  return { error: { message: error.message, type, param: error.param, code, name, ...platform } };
}
