import { GatewayError } from "../../contract/errors.ts";
import { isRecord } from "../../lib/json.ts";
import { failureMessage } from "../classify.ts";
import type { Provider } from "../dialect.ts";

/** Types and codes of errors that have no number, by the status that they would have come with. */
const BY_NAME: Readonly<Record<string, number>> = {
  invalid_request_error: 400,
  context_length_exceeded: 400,
  authentication_error: 401,
  permission_error: 403,
  rate_limit_error: 429,
  rate_limit_exceeded: 429,
  insufficient_quota: 429,
  overloaded_error: 529,
};

/**
 * A failure inside an answer that came with the status of success, as resellers send it once their own upstream has failed. It
 * means what it would have meant with a status of its own, which it mostly names.
 */
export function innerFailure(body: Readonly<Record<string, unknown>>, { classify }: Pick<Provider, "classify">) {
  const text = JSON.stringify(body);
  const status = statusOf(body);
  const { kind, message } = classify({ status, headers: new Headers(), body: text });
  const isSilent = failureMessage(text) === "" && kind === "upstream";
  // The body stays out of the log: some quote the prompt.
  return new GatewayError(kind, isSilent ? "The provider failed in the middle of its answer." : message, {
    cause: new Error(`upstream status 200 with a failure of ${status}`),
  });
}

/** Whatever has no list where its answer should stand is none, also where it does not call itself an error. */
export function requireAnswer(
  body: Readonly<Record<string, unknown>>,
  field: AnswerField,
  provider: Pick<Provider, "classify">,
): void {
  if (!hasFailure(body) && Array.isArray(body[field])) return;
  const isSilent = !hasFailure(body) && failureMessage(JSON.stringify(body)) === "";
  throw isSilent
    ? new GatewayError("upstream", `The provider's answer has no ${field}.`)
    : innerFailure(body, provider);
}

/** Where OpenAI's operations have what was asked for. */
export type AnswerField = "choices" | "data" | "results";

export const hasFailure = ({ error }: Readonly<Record<string, unknown>>): boolean =>
  error !== undefined && error !== null;

function statusOf(body: Readonly<Record<string, unknown>>): number {
  const error = isRecord(body.error) ? body.error : body;
  for (const told of [error.code, error.status, error.status_code, body.code, body.status, body.status_code]) {
    const status = typeof told === "string" && /^\d{3}$/.test(told) ? Number(told) : told;
    if (typeof status === "number" && status >= 400 && status <= 599) return status;
  }
  for (const name of [error.code, error.type]) {
    if (typeof name === "string" && Object.hasOwn(BY_NAME, name)) return BY_NAME[name] as number;
  }
  return 500;
}
