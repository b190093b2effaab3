import { GatewayError } from "../contract/errors.ts";
import { isRecord } from "../lib/json.ts";
import { type Exchange, explain } from "./exchange.ts";

/** No answer of a model is this long; what is longer is not one. */
const ANSWER_BYTES_MAX = 64 * 1024 * 1024;

/** The whole text of an answer, within the call's time limits. */
export const readText = (sent: Exchange): Promise<string> => readWhole(sent, textOf);

const textOf = (response: Response, declared: number | null): Promise<string> =>
  declared === null ? readCounted(response) : response.text();

/** An answer that is so long that it is better not made a text of; null for all others. */
export function readLong(sent: Exchange): Promise<Buffer> | null {
  if ((declaredLength(sent.response) ?? 0) < LONG_BYTES) return null;
  return readWhole(sent, async (response) => Buffer.from(await response.arrayBuffer()));
}

const LONG_BYTES = 1024 * 1024;

/** What is declared counts only where nothing else decides how much arrives. */
function declaredLength({ headers }: Response): number | null {
  const declared = headers.get("content-length");
  if (declared === null || headers.has("content-encoding") || headers.has("transfer-encoding")) return null;
  return Number(declared);
}

async function readWhole<T>(
  { response, deadline }: Exchange,
  read: (response: Response, declared: number | null) => Promise<T>,
): Promise<T> {
  try {
    const declared = declaredLength(response);
    if (declared !== null && declared > ANSWER_BYTES_MAX) throw tooLong();
    return await read(response, declared);
  } catch (thrown) {
    const reason = explain(thrown, deadline.signal);
    // Whatever is still on its way is not wanted any more.
    deadline.abort(reason);
    throw reason;
  } finally {
    deadline.clear();
  }
}

/** A chunked answer does not say its length, so it is counted while it arrives. */
async function readCounted(response: Response): Promise<string> {
  if (!response.body) return "";
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of response.body as ReadableStream<Uint8Array>) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length > ANSWER_BYTES_MAX) throw tooLong();
  }
  return text + decoder.decode();
}

const tooLong = (): GatewayError => new GatewayError("upstream", "The provider's answer is too long.");

/** An answer that is not JSON never reaches the caller. */
export function parseAnswer(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new GatewayError("upstream", "The provider's answer is not valid JSON.", { cause });
  }
}

export function requireRecord(value: unknown): Record<string, unknown> {
  if (isRecord(value)) return value;
  throw new GatewayError("upstream", "The provider's answer is not a JSON object.");
}
