/** Of the checksum in hexadecimal digits, the length in decimal ones, and a blank behind each. */
const CRC_CHARS = 8;
const LENGTH_CHARS = 9;
const HEAD_BYTES = CRC_CHARS + 1 + LENGTH_CHARS + 1;
const ROOM = 64 * 1024;
/** What a busy moment has grown is let go of. */
const ROOM_MAX = 1024 * 1024;

/**
 * Lines on their way to a file: `<crc32 as hex> <length in bytes> <json>`. JSON has no line break in it, so a line is where
 * to begin anew. They are put together as the bytes that they are written as: as texts, each was copied three times on its
 * way there, which was 5 of the 33 kB that a small chat left to be collected.
 */
export class LineBuffer {
  private bytes = Buffer.allocUnsafeSlow(ROOM);
  /** Where the last whole line ends, and how far the one behind it has come. */
  private whole = 0;
  private length = 0;

  get end(): number {
    return this.whole;
  }

  /** In place of one that was not finished. */
  begin(): this {
    this.length = this.whole;
    this.reserve(HEAD_BYTES);
    this.length += HEAD_BYTES;
    return this;
  }

  /** A further piece of the line's JSON. */
  add(text: string): this {
    // A character takes three bytes at most; those that take four are two characters.
    this.reserve(text.length * 3);
    this.length += this.bytes.write(text, this.length);
    return this;
  }

  finish(): void {
    this.reserve(1);
    const { bytes, whole: begun } = this;
    const start = begun + HEAD_BYTES;
    let crc = Bun.hash.crc32(bytes.subarray(start, this.length));
    for (let at = begun + CRC_CHARS - 1; at >= begun; at--) {
      bytes[at] = HEX.charCodeAt(crc & 15);
      crc >>>= 4;
    }
    let length = this.length - start;
    for (let at = start - 2; at > begun + CRC_CHARS; at--) {
      bytes[at] = ZERO + (length % 10);
      length = Math.floor(length / 10);
    }
    bytes[begun + CRC_CHARS] = BLANK;
    bytes[start - 1] = BLANK;
    bytes[this.length] = NEW_LINE;
    this.whole = this.length + 1;
  }

  /** Valid until something is added. */
  between(start: number, end: number): Uint8Array {
    return this.bytes.subarray(start, end);
  }

  clear(): void {
    this.whole = 0;
    if (this.bytes.length > ROOM_MAX) this.bytes = Buffer.allocUnsafeSlow(ROOM);
  }

  private reserve(count: number): void {
    const needed = this.length + count;
    if (needed <= this.bytes.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(needed, 2 * this.bytes.length));
    this.bytes.copy(larger, 0, 0, this.length);
    this.bytes = larger;
  }
}

const HEX = "0123456789abcdef";
const ZERO = 48;
const BLANK = 32;

const crcOf = (bytes: Uint8Array): string => Bun.hash.crc32(bytes).toString(16).padStart(CRC_CHARS, "0");

export interface ReadLines {
  /** What could be read, in order. */
  readonly records: readonly unknown[];
  /** Lines that could not, though they have an end: nobody breaks off before a line's end, so something has damaged them. */
  readonly damaged: number;
  /** Bytes behind the last line: the process ended while it wrote them. */
  readonly tornBytes: number;
}

const NEW_LINE = 10;
const HEAD = /^([0-9a-f]{8}) ([0-9]{1,9}) /;

export function readLines(bytes: Uint8Array): ReadLines {
  const records: unknown[] = [];
  let damaged = 0;
  let at = 0;
  for (let end = bytes.indexOf(NEW_LINE); end !== -1; end = bytes.indexOf(NEW_LINE, at)) {
    const record = parseLine(bytes.subarray(at, end));
    at = end + 1;
    if (record === undefined) damaged++;
    else records.push(record);
  }
  return { records, damaged, tornBytes: bytes.length - at };
}

/** Undefined for what is no whole record. */
function parseLine(line: Uint8Array): unknown {
  const text = Buffer.from(line.buffer, line.byteOffset, line.byteLength);
  const [head, crc, length] = HEAD.exec(text.toString("latin1", 0, Math.min(text.length, 20))) ?? [];
  if (head === undefined) return undefined;
  const json = text.subarray(head.length);
  if (json.length !== Number(length) || crcOf(json) !== crc) return undefined;
  try {
    return JSON.parse(json.toString("utf8"));
  } catch {
    return undefined;
  }
}
