import type { ErrorKind } from "../../contract/errors.ts";
import { isRecord } from "../../lib/json.ts";
import type { Classified, UpstreamFailure } from "../dialect.ts";

const BY_STATUS: Readonly<Record<number, ErrorKind>> = {
  400: "invalid_request",
  404: "model_not_found",
  408: "timeout",
  422: "invalid_request",
  429: "rate_limit",
  503: "connection",
  504: "timeout",
};

const CONTEXT_WINDOW = /maximum context length|context_length_exceeded|exceed context limit|context length/i;
const CONTENT_POLICY = /content_policy_violation|content management policy|safety system/i;
const MESSAGE_CHARS_MAX = 500;

/** What an OpenAI-like failure means to our caller. The upstream's own refusal of our key is never the caller's 401. */
export function classifyOpenAi(failure: UpstreamFailure): Classified {
  const said = upstreamMessage(failure.body);
  if (failure.status === 401 || failure.status === 403) {
    return { kind: "upstream", message: "The provider refused the key that this gateway is configured with." };
  }
  const message = said === "" ? `The provider answered with status ${failure.status}.` : said;
  if (failure.status === 400 && CONTEXT_WINDOW.test(failure.body)) return { kind: "context_window", message };
  if (failure.status === 400 && CONTENT_POLICY.test(failure.body)) return { kind: "content_policy", message };
  return { kind: BY_STATUS[failure.status] ?? "upstream", message };
}

/** The message of `{"error": {"message"}}`; any other body is not shown to the caller. */
function upstreamMessage(body: string): string {
  try {
    const parsed: unknown = JSON.parse(body);
    const error = isRecord(parsed) ? parsed.error : null;
    const message = isRecord(error) ? error.message : null;
    return typeof message === "string" ? message.slice(0, MESSAGE_CHARS_MAX) : "";
  } catch {
    return "";
  }
}
