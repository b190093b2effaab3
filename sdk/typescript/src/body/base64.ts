import { invalid } from "../failure.ts";
import { ByteSink } from "./byte-sink.ts";

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const PAD = 64;
const SPACE = 65;
const URL_SAFE = 66;
const FOREIGN = 67;

const VALUES = new Uint8Array(256).fill(FOREIGN);
for (let i = 0; i < 64; i++) VALUES[ALPHABET.charCodeAt(i)] = i;
VALUES["=".charCodeAt(0)] = PAD;
for (const space of " \t\n\f\r") VALUES[space.charCodeAt(0)] = SPACE;
for (const letter of "-_") VALUES[letter.charCodeAt(0)] = URL_SAFE;

/** Strict base64 of RFC 4648, piece by piece: standard alphabet, padding required, ASCII white space skipped. */
export class Base64Decoder {
  private readonly sink: ByteSink;
  private bits = 0;
  private count = 0;
  private pads = 0;

  constructor(
    private readonly path: string,
    guess = 0,
  ) {
    this.sink = new ByteSink(guess);
  }

  /** Takes bytes as long as they are plain characters of a JSON string; gives where it stopped: a quote or an escape. */
  push(bytes: Uint8Array, start: number, end: number): number {
    let at = start;
    while (at < end) {
      if (this.count === 0 && this.pads === 0) at = this.pushGroups(bytes, at, end);
      if (at >= end) break;
      const byte = bytes[at] ?? 0;
      if (byte === 0x22 || byte === 0x5c || byte < 0x20) break;
      this.character(byte);
      at++;
    }
    return at;
  }

  /** One character, by its code. */
  character(code: number): void {
    const value = VALUES[code] ?? FOREIGN;
    if (value < PAD && this.pads === 0) {
      this.bits = (this.bits << 6) | value;
      this.count++;
      if (this.count === 4) this.flush(3);
    } else if (value === PAD && this.count >= 2 && this.count + this.pads < 4) this.pads++;
    else if (value !== SPACE) throw this.refuse(code, value);
  }

  end(): Uint8Array<ArrayBuffer> {
    if (this.count > 0) {
      if (this.count + this.pads !== 4) throw this.wrong("it ends in mid-group; padding with = is required");
      const spare = this.count === 2 ? 15 : 3;
      if ((this.bits & spare) !== 0) throw this.wrong("bits behind its last byte are not zero");
      this.bits <<= this.count === 2 ? 12 : 6;
      this.flush(this.count - 1);
    }
    return this.sink.finish();
  }

  private pushGroups(bytes: Uint8Array, start: number, end: number): number {
    let at = start;
    while (end - at >= 4) {
      const room = this.sink.room(3);
      const stop = at + Math.min((end - at) >> 2, Math.floor(room.length / 3)) * 4;
      let written = 0;
      while (at < stop) {
        const a = VALUES[bytes[at] as number] as number;
        const b = VALUES[bytes[at + 1] as number] as number;
        const c = VALUES[bytes[at + 2] as number] as number;
        const d = VALUES[bytes[at + 3] as number] as number;
        if ((a | b | c | d) >= PAD) break;
        room[written] = (a << 2) | (b >> 4);
        room[written + 1] = (b << 4) | (c >> 2);
        room[written + 2] = (c << 6) | d;
        written += 3;
        at += 4;
      }
      this.sink.advance(written);
      if (at < stop) break;
    }
    return at;
  }

  private flush(bytes: number): void {
    const room = this.sink.room(3);
    room[0] = this.bits >> 16;
    if (bytes > 1) room[1] = this.bits >> 8;
    if (bytes > 2) room[2] = this.bits;
    this.sink.advance(bytes);
    this.bits = 0;
    this.count = 0;
  }

  private refuse(code: number, value: number): Error {
    if (value === URL_SAFE) return this.wrong("it looks like base64url; the standard alphabet with + and / is wanted");
    if (value <= PAD) return this.wrong("padding stands where none belongs");
    return this.wrong(`the character with code ${code} does not belong there`);
  }

  private wrong(why: string): Error {
    return invalid("invalid_base64", `${this.path} is not base64: ${why}`, this.path);
  }
}

/** How many bytes of text so many bytes become. */
export const base64Length = (bytes: number): number => Math.ceil(bytes / 3) * 4;

const PIECE = 3 * 64 * 1024;

/** Two characters for every twelve bits, as one number that is written at once. */
const PAIRS = new Uint16Array(4096);
const pairBytes = new Uint8Array(PAIRS.buffer);
for (let bits = 0; bits < 4096; bits++) {
  pairBytes[bits * 2] = ALPHABET.charCodeAt(bits >> 6);
  pairBytes[bits * 2 + 1] = ALPHABET.charCodeAt(bits & 63);
}

/** The text of the bytes, in pieces, so that it never exists as a whole. With `reuse` a piece is valid until the next. */
export function* encodeBase64(bytes: Uint8Array, reuse = false): Generator<Uint8Array> {
  const whole = bytes.length - (bytes.length % 3);
  const size = base64Length(Math.min(PIECE, whole));
  const shared = reuse ? new Uint16Array(size / 2) : null;
  for (let at = 0; at < whole; at += PIECE) {
    const end = Math.min(whole, at + PIECE);
    const text = shared ?? new Uint16Array(base64Length(end - at) / 2);
    for (let from = at, to = 0; from < end; from += 3, to += 2) {
      const group = ((bytes[from] as number) << 16) | ((bytes[from + 1] as number) << 8) | (bytes[from + 2] as number);
      text[to] = PAIRS[group >> 12] as number;
      text[to + 1] = PAIRS[group & 4095] as number;
    }
    yield new Uint8Array(text.buffer, 0, base64Length(end - at));
  }
  if (whole < bytes.length) yield Buffer.from(Buffer.from(bytes.subarray(whole)).toString("base64"), "latin1");
}
