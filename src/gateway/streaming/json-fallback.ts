import { parseAnswer, tooLong } from "../attempts/read-response.ts";

/** What an answer to a call for a stream begins as; null where nothing but white space has come. */
function openingOf(bytes: Uint8Array): "stream" | "json" | null {
  const start = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
  for (let at = start; at < bytes.length; at++) {
    const sign = bytes[at] as number;
    if (!BLANKS.includes(sign)) return sign === BRACE || sign === BRACKET ? "json" : "stream";
  }
  return null;
}

const BLANKS: readonly number[] = [9, 10, 13, 32];
const [BRACE, BRACKET] = [123, 91];

/** No answer of a model is this long. */
const BODY_BYTES_MAX = 64 * 1024 * 1024;

/** One JSON text where a stream was asked for, as servers send it that do not stream. */
export class JsonInsteadOfStream {
  private readonly pieces: Uint8Array[] = [];
  private bytes = 0;

  /** What the answer is, as far as it can be told yet. */
  constructor(private opening: "stream" | "json" | null = null) {}

  get isStream(): boolean {
    return this.opening === "stream";
  }

  get isJson(): boolean {
    return this.opening === "json";
  }

  /** Keeps what is no part of a stream, and tells whether it is none. */
  takes(piece: Uint8Array): boolean {
    this.opening ??= openingOf(piece);
    if (this.isJson) {
      this.bytes += piece.length;
      if (this.bytes > BODY_BYTES_MAX) throw tooLong();
      this.pieces.push(piece);
    }
    return !this.isStream;
  }

  parse(): unknown {
    return parseAnswer(decoder.decode(Buffer.concat(this.pieces)));
  }
}

const decoder = new TextDecoder("utf-8");
