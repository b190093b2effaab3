import { GatewayError } from "../../contract/errors.ts";
import { decodeUtf8, parseJson, parseJsonTexts } from "../../lib/json.ts";
import { bodyEncoding, decompress } from "../encodings.ts";
import type { IncomingBody } from "./body-budget.ts";

const JSON_TYPE = /^application\/(?:[\w.-]+\+)?json$/;

/** A body as it was sent; a long one as a text. */
export type Arrived = Uint8Array | LongText;

interface LongText {
  readonly text: string;
  readonly isAscii: boolean;
}

/**
 * Receives a JSON body of at most `bytesMax`. Nothing is buffered before its type and size are checked. `parseJsonBody`
 * parses it, so that a call waits for its body once.
 */
export function readJsonBody(request: Request, bytesMax: number, incoming: IncomingBody): Promise<Arrived> {
  const type = request.headers.get("content-type");
  if (type === null && request.body === null) return Promise.resolve(NO_FIELDS);
  requireJson(type);
  const encoding = bodyEncoding(request.headers.get("content-encoding"));
  if (encoding !== null) return readCompressed(request, encoding, bytesMax, incoming);
  const declared = declaredBytes(request) ?? 0;
  if (declared < LONG_BYTES || declared > bytesMax) return readBytes(request, bytesMax, incoming);
  return readLong(request, declared, incoming);
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

/** Longer bodies are received in chunks: a client that announces one and sends nothing holds no room. */
const AT_ONCE_BYTES = 256 * 1024;

async function readLong(request: Request, declared: number, incoming: IncomingBody): Promise<LongText> {
  if (declared > AT_ONCE_BYTES) {
    incoming.require(declared);
    return toText(new Blob((await readChunks(request, declared, incoming)) as Uint8Array<ArrayBuffer>[]));
  }
  incoming.reserve(declared);
  return toText(await incoming.within(request.blob()));
}

/**
 * The text of an ASCII body, as nearly all long ones are, is the runtime's own bytes; a decoded string would be a copy.
 * The runtime replaces what is not UTF-8 and drops a byte order mark: a body with either is decoded strictly.
 */
async function toText(blob: Blob): Promise<LongText> {
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

/** The limit holds for the compressed bytes and for what they expand to. */
async function readCompressed(
  request: Request,
  encoding: string,
  bytesMax: number,
  incoming: IncomingBody,
): Promise<Uint8Array> {
  const whole = await decompress(await readBytes(request, bytesMax, incoming), encoding, bytesMax);
  if (whole === null) throw tooLarge(bytesMax);
  incoming.add(whole.length);
  return whole;
}

/** The length that the client announces; null for a chunked body. */
export function declaredBytes({ headers }: Request): number | null {
  const declared = headers.get("content-length");
  return declared === null ? null : Number(declared);
}

/** Receives a body of at most `bytesMax` as it was sent. */
export function readBytes(request: Request, bytesMax: number, incoming: IncomingBody): Promise<Uint8Array> {
  const declared = declaredBytes(request);
  if (declared === null) return readChunks(request, bytesMax, incoming).then((chunks) => Buffer.concat(chunks));
  if (declared > bytesMax) throw tooLarge(bytesMax);
  incoming.reserve(declared);
  return incoming.within(request.bytes());
}

/** Counts a body while it arrives. */
async function readChunks(request: Request, bytesMax: number, incoming: IncomingBody): Promise<Uint8Array[]> {
  if (!request.body) return [];
  const reader = (request.body as ReadableStream<Uint8Array>).getReader();
  const chunks: Uint8Array[] = [];
  let length = 0;
  try {
    for (;;) {
      const chunk = (await incoming.within(reader.read())).value;
      if (!chunk) return chunks;
      length += chunk.length;
      if (length > bytesMax) throw tooLarge(bytesMax);
      incoming.add(chunk.length);
      chunks.push(chunk);
    }
  } catch (thrown) {
    await reader.cancel().catch(() => undefined);
    throw thrown;
  }
}

export const tooLarge = (bytesMax: number): GatewayError =>
  new GatewayError("body_too_large", `The request body is larger than ${bytesMax} bytes.`, {
    headers: { connection: "close" },
  });
