import type { ErrorKind } from "../contract/errors.ts";
import { isRecord } from "../lib/json.ts";
import type { Classified, UpstreamFailure } from "./dialect.ts";

const MESSAGE_CHARS_MAX = 500;

/** Words by which providers say that a prompt is too long, lower case. */
const CONTEXT_WINDOW = [
  "exceed context limit",
  "context_length_exceeded",
  "maximum context length",
  "maximum context limit",
  "string too long. expected a string with maximum length",
  "longer than the model's context length",
  "input tokens exceed the configured limit",
  "inputs tokens + max_new_tokens must be",
  "exceeds the maximum number of tokens allowed",
  "prompt is too long",
  "prompt: length",
  "input is too long",
  "too many total text bytes",
  "too many input tokens",
  "context window",
];

const CONTENT_POLICY = [
  "content_policy_violation",
  "content_filter",
  "responsibleaipolicyviolation",
  "content management policy",
  "content filtering policy",
  "safety system",
  "usage policies",
  "usage policy",
];

const BY_STATUS: Readonly<Record<number, ErrorKind>> = {
  400: "invalid_request",
  401: "upstream_authentication",
  403: "upstream_authentication",
  404: "model_not_found",
  408: "timeout",
  409: "upstream",
  413: "invalid_request",
  422: "invalid_request",
  424: "upstream",
  429: "rate_limit",
  503: "upstream_unavailable",
  504: "timeout",
  508: "loop_detected",
  529: "upstream_unavailable",
};

/**
 * What a failure means, by its words and then by its status. The upstream's refusal of our own key is never the caller's
 * 401; no body that is not a plain message reaches the caller.
 */
export function classifyFailure(failure: UpstreamFailure, title: string): Classified {
  const { status } = failure;
  const words = failure.body.toLowerCase();
  const said = failureMessage(failure.body);
  const message = said === "" ? `${title} answered with status ${status}${hint(status)}.` : `${title}: ${said}`;
  const isCallersFault = status >= 400 && status < 500 && status !== 401 && status !== 403;
  if (isCallersFault && !isOverlongField(words) && has(words, CONTEXT_WINDOW))
    return { kind: "context_window", message };
  if ((isCallersFault || status === 403) && has(words, CONTENT_POLICY)) return { kind: "content_policy", message };
  if (status === 400 && words.includes("model_not_found")) return { kind: "model_not_found", message };
  if (status === 401 || status === 403) {
    return {
      kind: "upstream_authentication",
      message: `${title} refused the key that this gateway is configured with. The operator has to look at it.`,
    };
  }
  return { kind: BY_STATUS[status] ?? (status >= 400 && status < 500 ? "invalid_request" : "upstream"), message };
}

/** Where a redirect leads to is not followed: a key must not travel there. */
const hint = (status: number): string =>
  status >= 300 && status < 400
    ? ", a redirect, which is not followed; the operator has to look at the address that is configured"
    : "";

const has = (text: string, fragments: readonly string[]): boolean =>
  fragments.some((fragment) => text.includes(fragment));

/** A field other than the prompt that is too long is a plain bad request. */
const isOverlongField = (words: string): boolean =>
  words.includes("string_above_max_length") || (words.includes("invalid 'user'") && words.includes("string too long"));

/** The message of the error shapes that providers use; anything else is not shown. */
export function failureMessage(body: string): string {
  let parsed: unknown;
  try {
    parsed = JSON.parse(body);
  } catch {
    return "";
  }
  const one: unknown = Array.isArray(parsed) ? parsed[0] : parsed;
  if (!isRecord(one)) return "";
  const error = isRecord(one.error) ? one.error : one;
  const message = [error.message, error.Message, one.message, one.error, one.detail].find(
    (part) => typeof part === "string",
  );
  return (typeof message === "string" ? message : listedMessage(one)).slice(0, MESSAGE_CHARS_MAX);
}

/** The first of several: `detail` is FastAPI's list of fields that do not fit, `errors` is Cloudflare's. */
function listedMessage({ detail, errors }: Record<string, unknown>): string {
  const [first]: unknown[] = [detail, errors].find(Array.isArray) ?? [];
  if (!isRecord(first)) return "";
  const said = [first.msg, first.message].find((part) => typeof part === "string");
  if (typeof said !== "string") return "";
  const places = Array.isArray(first.loc)
    ? first.loc.filter((part) => typeof part === "string" && part !== "body")
    : [];
  return places.length === 0 ? said : `${places.join(".")}: ${said}`;
}
