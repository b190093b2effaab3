import { promisify } from "node:util";
import { gunzip, zstdDecompress } from "node:zlib";
import { GatewayError } from "../contract/errors.ts";

/** Ways to write an answer shorter, the shortest first. */
export const ENCODING_NAMES = ["br", "gzip"] as const;
export type EncodingName = (typeof ENCODING_NAMES)[number];

/** Whether somebody who sent this `accept-encoding` takes it. */
export const takesEncoding = (accepted: string, name: EncodingName): boolean =>
  new RegExp(`\\b${name}\\b(?!\\s*;\\s*q=0(\\.0*)?\\s*(,|$))`).test(accepted);

const gunzipBody = promisify<Uint8Array, { maxOutputLength: number }, Buffer>(gunzip);
const unzstdBody = promisify<Uint8Array, { maxOutputLength: number }, Buffer>(zstdDecompress);

/** Encodings of request bodies. */
const DECODERS: ReadonlyMap<string, typeof gunzipBody> = new Map([
  ["gzip", gunzipBody],
  ["x-gzip", gunzipBody],
  ["zstd", unzstdBody],
]);

/** The encoding of a compressed request body, null where it is not compressed. Throws where it is not supported. */
export function bodyEncoding(header: string | null): string | null {
  const name = header?.trim().toLowerCase() ?? "identity";
  if (name === "identity") return null;
  if (DECODERS.has(name)) return name;
  throw new GatewayError("unsupported_media_type", "`Content-Encoding` must be gzip or zstd, or absent.");
}

/** Expands a request body; null where it is longer than `bytesMax`. */
export async function decompress(body: Uint8Array, encoding: string, bytesMax: number): Promise<Uint8Array | null> {
  try {
    return (await DECODERS.get(encoding)?.(body, { maxOutputLength: bytesMax })) ?? body;
  } catch (cause) {
    if (isTooLong(cause)) return null;
    throw new GatewayError("malformed_body", `The request body is not valid ${encoding}.`, {
      param: "request_body",
      cause,
    });
  }
}

const isTooLong = (thrown: unknown): boolean =>
  thrown instanceof RangeError || (thrown as { code?: unknown } | null)?.code === "ERR_BUFFER_TOO_LARGE";
