import { Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import { Failure, invalid, tooLarge } from "../failure.ts";

/** The bytes behind gzip, never more than the limit: a small body can become a large one. */
export async function* inflated(bytes: AsyncIterable<Uint8Array>, bytesMax: number): AsyncGenerator<Uint8Array> {
  const source = Readable.from(bytes);
  const gunzip = createGunzip();
  source.once("error", (error) => gunzip.destroy(error));
  source.pipe(gunzip);
  let total = 0;
  try {
    for await (const piece of gunzip as AsyncIterable<Uint8Array>) {
      total += piece.length;
      if (total > bytesMax) throw tooLarge("the body", bytesMax);
      yield piece;
    }
  } catch (thrown) {
    if (thrown instanceof Failure) throw thrown;
    throw invalid("invalid_encoding", "the body is not valid gzip");
  } finally {
    source.destroy();
    gunzip.destroy();
  }
}
