import { ERRORS, type ErrorSpec, type GatewayError } from "./errors.ts";

/** The gateway's error body, in the shape that OpenAI's clients read, with the contract's name beside it. */
export function gatewayErrorBody(error: GatewayError): object {
  const spec: ErrorSpec = ERRORS[error.kind];
  return {
    error: { message: error.message, type: spec.type, param: error.param, code: spec.code, name: spec.name },
  };
}
