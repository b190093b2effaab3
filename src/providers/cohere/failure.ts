import { type ErrorKind, GatewayError } from "../../contract/errors.ts";
import { classifyFailure, failureMessage } from "../classify.ts";
import type { Classified, UpstreamFailure } from "../dialect.ts";
import { hasFailure, innerFailure } from "../openai-form/inner-failure.ts";

/** What Cohere's failures mean: its own words and statuses first. */
export function classifyCohere(failure: UpstreamFailure): Classified {
  const general = classifyFailure(failure, "Cohere");
  const said = failureMessage(failure.body);
  if (failure.status === 402) {
    return { kind: "upstream_authentication", message: `Cohere's billing limit is reached. ${said}`.trim() };
  }
  const isAboutTheRequest = [400, 404, 413, 422].includes(failure.status);
  const kind = isAboutTheRequest ? kindByWords(said.toLowerCase()) : kindByStatus(failure.status);
  return kind === null ? general : { kind, message: general.message };
}

/** An error that arrives inside an answer, where no status says what it is. */
export function cohereError(words: string): GatewayError {
  const said = words.slice(0, 500);
  return new GatewayError(kindByWords(said.toLowerCase()) ?? "upstream", `Cohere: ${said}`);
}

/** The error in the place of an answer: words alone, or what a proxy before Cohere makes of them. */
export function findError(body: Readonly<Record<string, unknown>>): GatewayError | null {
  if (typeof body.message === "string") return cohereError(body.message);
  return hasFailure(body) ? innerFailure(body, { classify: classifyCohere }) : null;
}

function kindByWords(words: string): ErrorKind | null {
  // An output limit that is too large has the same beginning, and a shorter prompt does not help.
  if (words.startsWith("too many tokens: max tokens")) return "invalid_request";
  if (words.includes("too many tokens")) return "context_window";
  if (/^blocked (in|out)put/.test(words)) return "content_policy";
  if (/\bmodel\b.*\bnot found\b/.test(words)) return "model_not_found";
  return null;
}

/** 498: a token that is not allowed; 499: the request was cancelled on the way; 501: not made for this model. */
const kindByStatus = (status: number): ErrorKind | null =>
  status === 498 ? "content_policy" : status === 499 ? "upstream" : status === 501 ? "invalid_request" : null;
