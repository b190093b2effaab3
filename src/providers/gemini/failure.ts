import { GatewayError } from "../../contract/errors.ts";
import { isRecord } from "../../lib/json.ts";
import { classifyFailure } from "../classify.ts";
import type { Classified, UpstreamFailure } from "../dialect.ts";
import { waitHeaders } from "../wait-headers.ts";

/** A prompt that is too long, in the words that differ from other providers'. */
const CONTEXT_WINDOW = /input token count.{0,80}(exceeds|supports up to)|exceeds the maximum allowed input tokens/i;
const CONTENT_POLICY = /usage guidelines|safety filter|prohibited (content|use)|blocked by .{0,40}safety/i;
/** A refused prompt has no error: it is told in the place of an answer. */
const PROMPT_REFUSED = /"blockReason":\s*"/;
/** A key that Google does not know, or may not use from here, comes as a bad request. */
const KEY_REFUSED = /API_KEY_INVALID|API key (not valid|expired|not found)|API_KEY_SERVICE_BLOCKED/i;
const NOT_ALLOWED_HERE =
  /FAILED_PRECONDITION[\s\S]*(location is not supported|billing)|(location is not supported|billing)[\s\S]*FAILED_PRECONDITION/i;

/** What a failure of Google's means: `{"error": {"code", "message", "status"}}`, in a list when a stream was asked for. */
export const classifyGoogle =
  (title: string) =>
  (failure: UpstreamFailure): Classified => {
    const { status, body } = failure;
    if (PROMPT_REFUSED.test(body)) return { kind: "content_policy", message: `${title} refused the prompt.` };
    if (status === 400 && (KEY_REFUSED.test(body) || NOT_ALLOWED_HERE.test(body))) {
      return classifyFailure({ ...failure, status: 401 }, title);
    }
    const classified = classifyFailure(failure, title);
    if (classified.kind !== "invalid_request") return classified;
    if (CONTEXT_WINDOW.test(body)) return { ...classified, kind: "context_window" };
    if (CONTENT_POLICY.test(body)) return { ...classified, kind: "content_policy" };
    return classified;
  };

/** The error inside an answer or an event, if there is one: it came with status 200 and names its own. */
export function findError(body: unknown, title: string): GatewayError | null {
  const one: unknown = Array.isArray(body) ? body[0] : body;
  if (!isRecord(one) || one.error === undefined || one.error === null) return null;
  const code = isRecord(one.error) ? one.error.code : null;
  const status = typeof code === "number" && Number.isInteger(code) && code >= 400 && code <= 599 ? code : 500;
  const failure = { status, headers: new Headers(), body: JSON.stringify(one) };
  const { kind, message } = classifyGoogle(title)(failure);
  return new GatewayError(kind, message, {
    headers: waitHeaders(failure),
    // The body stays out of the log: some quote the prompt.
    cause: new Error(`upstream status 200 with a failure of ${status}`),
  });
}
