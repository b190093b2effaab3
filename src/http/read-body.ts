import { GatewayError } from "../contract/errors.ts";
import { decodeUtf8, parseJson, parseJsonTexts } from "../lib/json.ts";

const JSON_TYPE = /^application\/(?:[\w.-]+\+)?json$/;

/** A body as it came; a long one as a text. */
export type Arrived = Uint8Array | LongText;

interface LongText {
  readonly text: string;
  readonly isAscii: boolean;
}

/**
 * Lets a JSON body come that is not larger than `bytesMax`. Nothing is buffered before size and type are known to fit. What
 * it says is read by `parseJsonBody`, so that whoever waits for a body waits once.
 */
export function readJsonBody(request: Request, bytesMax: number): Promise<Arrived> {
  const type = request.headers.get("content-type");
  if (type === null && request.body === null) return Promise.resolve(NO_FIELDS);
  requireJson(type);
  requireIdentity(request.headers.get("content-encoding"));
  const declared = Number(request.headers.get("content-length") ?? 0);
  return declared >= LONG_BYTES && declared <= bytesMax ? readLong(request) : readBytes(request, bytesMax);
}

/** What `curl -X POST` sends to act on something: a body without fields, whose schema says whether any are missing. */
const NO_FIELDS: Uint8Array = Buffer.from("{}");

export interface BodyReading {
  /** It is kept in the database. */
  readonly refuseNul?: boolean;
  readonly numbersAsText?: boolean;
}

export function parseJsonBody(arrived: Arrived, reading: BodyReading = {}): unknown {
  if (!(arrived instanceof Uint8Array)) return parseBody(arrived.text, reading, arrived.isAscii);
  if (arrived.length === 0) throw new GatewayError("malformed_body", "The request body is empty; send a JSON object.");
  return parseBody(decode(arrived), reading);
}

const LONG_BYTES = 16 * 1024;

/**
 * A text in ASCII, as nearly all long ones are, is the runtime's own bytes; made of ours it would be a copy of them. In place
 * of what is not UTF-8 the runtime has a character of its own, and a byte order mark is left out: who has either is read strictly.
 */
async function readLong(request: Request): Promise<LongText> {
  const blob = await request.blob();
  const text = await blob.text();
  const isWhole = !text.includes("\ufffd");
  const isAscii = isWhole && text.length === blob.size;
  const isAsSent = isAscii || (isWhole && Buffer.byteLength(text) === blob.size);
  return { text: isAsSent ? text : decode(await blob.bytes()), isAscii };
}

/** A NUL character is text to a model, but no database keeps it. */
const NUL = /\\u0000/;

function decode(bytes: Uint8Array): string {
  try {
    return decodeUtf8(bytes);
  } catch (cause) {
    throw new GatewayError("malformed_body", "The request body is not valid UTF-8.", { param: "request_body", cause });
  }
}

function parseBody(text: string, { refuseNul, numbersAsText }: BodyReading, isAscii = false): unknown {
  if (refuseNul && NUL.test(text)) {
    throw new GatewayError("malformed_body", "The request body holds a NUL character.", { param: "request_body" });
  }
  try {
    return numbersAsText ? parseJsonTexts(text) : parseJson(text, isAscii);
  } catch (cause) {
    const reason = cause instanceof RangeError ? "it is nested too deeply" : describe(cause);
    throw new GatewayError("malformed_body", `Invalid JSON payload: ${reason}`, { param: "request_body", cause });
  }
}

/** The engine's message names the place; it is cut so that no long input is sent back. */
const describe = (cause: unknown): string =>
  (cause instanceof Error ? cause.message.replace(/^JSON Parse error: /, "") : "cannot be parsed").slice(0, 120);

/** The type is compared whole, after lower-casing: a spelling that we do not understand is never parsed. */
function requireJson(header: string | null): void {
  if (header === "application/json") return;
  const [type = "", ...parameters] = (header ?? "").toLowerCase().split(";");
  const charset = parameters
    .map((parameter) => parameter.replace(/\s+/g, ""))
    .find((text) => text.startsWith("charset="));
  const utf8 = charset === undefined || /^charset="?utf-?8"?$/.test(charset);
  if (JSON_TYPE.test(type.trim()) && utf8) return;
  throw new GatewayError("unsupported_media_type", "Send the body as JSON, with `Content-Type: application/json`.");
}

function requireIdentity(encoding: string | null): void {
  if (encoding === null || encoding.toLowerCase() === "identity") return;
  throw new GatewayError("unsupported_media_type", "Send the body without `Content-Encoding`.");
}

export function readBytes(request: Request, bytesMax: number): Promise<Uint8Array> {
  const declared = request.headers.get("content-length");
  if (declared === null) return readCounted(request, bytesMax);
  if (Number(declared) > bytesMax) return Promise.reject(tooLarge(bytesMax));
  return request.bytes();
}

async function readCounted(request: Request, bytesMax: number): Promise<Uint8Array> {
  // A chunked body does not say its length, so it is counted while it arrives.
  if (!request.body) return new Uint8Array(0);
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of request.body as ReadableStream<Uint8Array>) {
    length += chunk.length;
    if (length > bytesMax) throw tooLarge(bytesMax);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, length);
}

export const tooLarge = (bytesMax: number): GatewayError =>
  new GatewayError("body_too_large", `The request body is larger than ${bytesMax} bytes.`, {
    headers: { connection: "close" },
  });
