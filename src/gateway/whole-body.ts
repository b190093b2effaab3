import { parseAnswer, tooLong } from "./read-answer.ts";

/** What an answer to a call for a stream begins as; null where nothing but white space has come. */
export function openingOf(bytes: Uint8Array): "stream" | "json" | null {
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
export class WholeBody {
  private readonly pieces: Uint8Array[] = [];
  private bytes = 0;

  push(piece: Uint8Array): void {
    this.bytes += piece.length;
    if (this.bytes > BODY_BYTES_MAX) throw tooLong();
    this.pieces.push(piece);
  }

  parse(): unknown {
    return parseAnswer(decoder.decode(Buffer.concat(this.pieces)));
  }
}

const decoder = new TextDecoder("utf-8");
