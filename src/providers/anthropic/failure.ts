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
  const { type, message, details } = readError(failure.body);
  if (failure.status === 402 || type === "billing_error" || (failure.status === 400 && ACCOUNT.test(message))) {
    return {
      kind: "upstream_authentication",
      message: `${TITLE} refused the call because of the account behind this gateway. The operator has to look at it.`,
    };
  }
  const classified: Classified = { ...classifyFailure(failure, TITLE), ...(details && { details }) };
  if (isOfThread(details)) return { ...classified, kind: "invalid_request" };
  if (type === "overloaded_error") return { ...classified, kind: "upstream_unavailable" };
  if (type === "timeout_error") return { ...classified, kind: "timeout" };
  return classified;
}

/** A thread that this account does not have, or that another call continues: the deployment is healthy. */
const isOfThread = (details: Classified["details"]): boolean =>
  typeof details?.error_code === "string" && details.error_code.startsWith("thread_");

/** Servers that speak Anthropic's form do not all say the type of what they report. */
export const isError = ({ type, error }: Readonly<Record<string, unknown>>): boolean =>
  type === "error" || isRecord(error);

/** The error of a stream, or of a body that came with status 200. */
export function reportedError(reported: Readonly<Record<string, unknown>>): GatewayError {
  const error = isRecord(reported.error) ? reported.error : reported;
  const status = STATUSES.get(error.type) ?? 500;
  const message = typeof error.message === "string" ? error.message : "";
  const type = typeof error.type === "string" ? error.type : "";
  const body = JSON.stringify({ error: { type, message, details: error.details } });
  const { kind, message: said, details } = classifyAnthropic({ status, headers: new Headers(), body });
  return new GatewayError(kind, said, { details });
}

interface ReportedError extends Pick<Classified, "details"> {
  readonly type: string;
  readonly message: string;
}

function readError(body: string): ReportedError {
  try {
    const parsed: unknown = JSON.parse(body);
    const error = isRecord(parsed) && isRecord(parsed.error) ? parsed.error : {};
    return {
      type: typeof error.type === "string" ? error.type : "",
      message: typeof error.message === "string" ? error.message : "",
      ...(isRecord(error.details) && { details: error.details }),
    };
  } catch {
    return { type: "", message: "" };
  }
}

export const malformed = (what: string, cause?: unknown): GatewayError =>
  new GatewayError("upstream", `${TITLE}'s answer ${what}.`, { cause });
