import { GatewayError } from "../contract/errors.ts";
import type { ChatDialect } from "../providers/dialect.ts";

/** A failure's text is read up to this length: an upstream may send anything. */
const FAILURE_BYTES_MAX = 16 * 1024;
/** Headers of a failing upstream that a caller can act on. */
const PASSED_ON = ["retry-after"];

/** Reads an upstream's failure and says what it means to our caller. */
export async function readFailure(response: Response, dialect: Pick<ChatDialect, "classify">): Promise<GatewayError> {
  const body = await readPrefix(response);
  const { kind, message } = dialect.classify({ status: response.status, headers: response.headers, body });
  const headers: Record<string, string> = {};
  for (const name of PASSED_ON) {
    const value = response.headers.get(name);
    if (value !== null) headers[name] = value;
  }
  return new GatewayError(kind, message, { headers, cause: new Error(`upstream status ${response.status}`) });
}

async function readPrefix(response: Response): Promise<string> {
  if (!response.body) return "";
  const decoder = new TextDecoder();
  let text = "";
  try {
    for await (const chunk of response.body as ReadableStream<Uint8Array>) {
      text += decoder.decode(chunk, { stream: true });
      if (text.length > FAILURE_BYTES_MAX) break;
    }
  } catch {
    // A failure that breaks off is still a failure: what arrived is what there is.
  }
  return text.slice(0, FAILURE_BYTES_MAX);
}
