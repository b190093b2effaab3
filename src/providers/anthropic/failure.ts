import { GatewayError } from "../../contract/errors.ts";
import { isRecord } from "../../lib/json.ts";
import { classifyFailure } from "../classify.ts";
import type { Classified, UpstreamFailure } from "../dialect.ts";

export const TITLE = "Anthropic";

/** The status that goes with an error's type, for errors that come inside a stream. */
const STATUSES: ReadonlyMap<unknown, number> = new Map([
  ["invalid_request_error", 400],
  ["authentication_error", 401],
  ["billing_error", 402],
  ["permission_error", 403],
  ["not_found_error", 404],
  ["request_too_large", 413],
  ["rate_limit_error", 429],
  ["api_error", 500],
  ["timeout_error", 504],
  ["overloaded_error", 529],
]);

/** Sentences of plain 400s that say that the account is out of money or over a limit that its owner has set. */
const ACCOUNT = /credit balance is too low|reached your specified (?:\w+ )?api usage limits/i;

export function classifyAnthropic(failure: UpstreamFailure): Classified {
  const { type, message } = readError(failure.body);
  if (failure.status === 402 || type === "billing_error" || (failure.status === 400 && ACCOUNT.test(message))) {
    return {
      kind: "upstream_authentication",
      message: `${TITLE} refused the call because of the account behind this gateway. The operator has to look at it.`,
    };
  }
  const classified = classifyFailure(failure, TITLE);
  if (type === "overloaded_error") return { ...classified, kind: "upstream_unavailable" };
  if (type === "timeout_error") return { ...classified, kind: "timeout" };
  return classified;
}

/** Servers that speak Anthropic's form do not all say the type of what they report. */
export const isError = ({ type, error }: Readonly<Record<string, unknown>>): boolean =>
  type === "error" || isRecord(error);

/** The error of a stream, or of a body that came with status 200. */
export function reportedError(body: Readonly<Record<string, unknown>>): GatewayError {
  const error = isRecord(body.error) ? body.error : body;
  const status = STATUSES.get(error.type) ?? 500;
  const message = typeof error.message === "string" ? error.message : "";
  const text = JSON.stringify({ error: { type: typeof error.type === "string" ? error.type : "", message } });
  const { kind, message: said } = classifyAnthropic({ status, headers: new Headers(), body: text });
  return new GatewayError(kind, said);
}

function readError(body: string): { type: string; message: string } {
  try {
    const parsed: unknown = JSON.parse(body);
    const error = isRecord(parsed) && isRecord(parsed.error) ? parsed.error : {};
    return {
      type: typeof error.type === "string" ? error.type : "",
      message: typeof error.message === "string" ? error.message : "",
    };
  } catch {
    return { type: "", message: "" };
  }
}

export const malformed = (what: string, cause?: unknown): GatewayError =>
  new GatewayError("upstream", `${TITLE}'s answer ${what}.`, { cause });
