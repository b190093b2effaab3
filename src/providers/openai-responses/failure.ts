import { GatewayError } from "../../contract/errors.ts";
import { isRecord } from "../../lib/json.ts";
import type { Provider } from "../dialect.ts";
import { hasFailure, innerFailure } from "../openai-form/inner-failure.ts";

/** Codes of what is wrong with the request: with a picture, with its words, or with how many of them there are. */
const CALLERS_FAULT =
  /^(?:invalid_|image_|unsupported_|empty_|failed_to_download_|context_length_|content_|\w+_policy)/;

/** The failure of a response comes with the status of success, and its code tells what another status would have. */
export function responseFailure(told: unknown, provider: Pick<Provider, "classify">): GatewayError {
  const error = isRecord(told) ? told : {};
  const { code, message, type } = error;
  const status = typeof code === "string" && CALLERS_FAULT.test(code) ? { status: 400 } : {};
  return innerFailure({ error: { code, message, type, ...status } }, provider);
}

export const hasFailed = (response: Readonly<Record<string, unknown>>): boolean =>
  response.status === "failed" || hasFailure(response);

export const malformed = (what: string, cause?: unknown): GatewayError =>
  new GatewayError("upstream", `The provider's response ${what}.`, { cause });
