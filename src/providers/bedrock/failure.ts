import { type ErrorKind, GatewayError } from "../../contract/errors.ts";
import { isRecord } from "../../lib/json.ts";
import { classifyFailure, failureMessage } from "../classify.ts";
import type { Classified, UpstreamFailure } from "../dialect.ts";
import { TITLE } from "./title.ts";

/** Bedrock's exceptions by name, lower case. Their statuses do not always tell them apart. */
const BY_EXCEPTION: Readonly<Record<string, ErrorKind>> = {
  throttlingexception: "rate_limit",
  toomanyrequestsexception: "rate_limit",
  servicequotaexceededexception: "rate_limit",
  modeltimeoutexception: "timeout",
  modelnotreadyexception: "upstream_unavailable",
  serviceunavailableexception: "upstream_unavailable",
  resourcenotfoundexception: "model_not_found",
  modelerrorexception: "upstream",
  modelstreamerrorexception: "upstream",
  internalserverexception: "upstream",
};

/** Refusals of our credential; some of them come with status 400. */
const CREDENTIAL =
  /^(?:accessdenied|unrecognizedclient|invalidsignature|expiredtoken|incompletesignature|invalidclienttokenid|missingauthenticationtoken|optinrequired|notauthorized|signaturedoesnotmatch)/;

const CONTEXT_WINDOW = /expected maxlength: \d+, actual|input tokens exceeded|too many tokens in the (?:prompt|input)/i;
const UNKNOWN_MODEL = /model identifier is invalid|could not resolve the foundation model|invalid model identifier/i;

export const classifyBedrock = (failure: UpstreamFailure): Classified =>
  classifyException(exceptionName(failure), failure);

/** The same for an exception inside a stream, whose status was good already. */
export function classifyStreamException(name: string, data: string): Classified {
  const body = failureMessage(data) === "" ? JSON.stringify({ message: "The stream ended with an exception." }) : data;
  return classifyException(name.toLowerCase(), { status: 500, headers: new Headers(), body });
}

/** An exception in the place of an answer, with the status of success. */
export function findException(body: unknown): GatewayError | null {
  if (!isRecord(body) || body.output !== undefined) return null;
  const text = JSON.stringify(body);
  const name = typeInBody(text);
  if (name === "" && failureMessage(text) === "") return null;
  const { kind, message } = classifyStreamException(name, text);
  return new GatewayError(kind, message);
}

function classifyException(exception: string, failure: UpstreamFailure): Classified {
  const said = failureMessage(failure.body);
  const message = said === "" ? `${TITLE} answered with status ${failure.status}.` : `${TITLE}: ${said}`;
  if (CREDENTIAL.test(exception)) return classifyFailure({ ...failure, status: 403 }, TITLE);
  if (exception === "validationexception") {
    if (CONTEXT_WINDOW.test(said)) return { kind: "context_window", message };
    if (UNKNOWN_MODEL.test(said)) return { kind: "model_not_found", message };
    return classifyFailure({ ...failure, status: 400 }, TITLE);
  }
  const kind = Object.hasOwn(BY_EXCEPTION, exception) ? BY_EXCEPTION[exception] : undefined;
  return kind === undefined ? classifyFailure(failure, TITLE) : { kind, message };
}

/** `ValidationException:http://...` in a header, or `com.amazon...#ValidationException` in the body. */
function exceptionName({ headers, body }: UpstreamFailure): string {
  const header = headers.get("x-amzn-errortype")?.split(":")[0];
  return (header ?? typeInBody(body)).trim().toLowerCase();
}

function typeInBody(body: string): string {
  try {
    const parsed: unknown = JSON.parse(body);
    const type = isRecord(parsed) ? parsed.__type : null;
    return typeof type === "string" ? (type.split("#").at(-1) ?? "") : "";
  } catch {
    return "";
  }
}
