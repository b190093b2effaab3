import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import { ENCODING_NAMES, type EncodingName, takesEncoding } from "./encodings.ts";

type Bytes = Uint8Array<ArrayBuffer>;

/** The best level takes twenty times as long for a tenth less. */
const BROTLI_LEVEL = 7;
const COMPRESS: Readonly<Record<EncodingName, (bytes: Bytes) => Promise<Bytes>>> = {
  br: (bytes) =>
    promisify(brotliCompress)(bytes, {
      params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_LEVEL, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length },
    }),
  gzip: (bytes) => promisify(gzip)(bytes),
};

/**
 * An answer that is the same for everybody while the process runs. It is told by its tag to whoever has it already, and written in
 * each encoding once, in another thread, when it is first asked for so.
 */
export class PrecompressedResponse {
  private tag: Promise<string> | null = null;
  private readonly encoded = new Map<EncodingName, Promise<Bytes>>();

  constructor(
    private readonly load: () => Bytes | Promise<Bytes>,
    private readonly headers: Readonly<Record<string, string>>,
  ) {}

  async to(request: Request): Promise<Response> {
    const headers = { ...this.headers, etag: await this.tagged(), vary: "accept-encoding" };
    if (hasTag(request.headers.get("if-none-match"), headers.etag)) return new Response(null, { status: 304, headers });
    const accepted = request.headers.get("accept-encoding") ?? "";
    const name = ENCODING_NAMES.find((one) => takesEncoding(accepted, one));
    if (name === undefined) return new Response(await this.load(), { headers });
    return new Response(await this.inEncoding(name), { headers: { ...headers, "content-encoding": name } });
  }

  // What could not be read is tried again by whoever asks next.

  private tagged(): Promise<string> {
    this.tag ??= this.loaded(tagOf, () => {
      this.tag = null;
    });
    return this.tag;
  }

  private inEncoding(name: EncodingName): Promise<Bytes> {
    const known = this.encoded.get(name) ?? this.loaded(COMPRESS[name], () => this.encoded.delete(name));
    this.encoded.set(name, known);
    return known;
  }

  private async loaded<T>(make: (bytes: Bytes) => T | Promise<T>, forget: () => void): Promise<T> {
    try {
      // Not before whoever waits for it has it in hand: else there would be nothing to forget yet.
      await null;
      return await make(await this.load());
    } catch (thrown) {
      forget();
      throw thrown;
    }
  }
}

/** A weak one: it names the content, in whichever encoding. */
const tagOf = (bytes: Bytes): string => `W/"${createHash("sha256").update(bytes).digest("base64url").slice(0, 22)}"`;

const hasTag = (known: string | null, tag: string): boolean =>
  (known ?? "").split(",").some((one) => one.trim() === "*" || one.trim().replace("W/", "") === tag.slice(2));
