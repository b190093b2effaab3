/** A record as a line: `<crc32 as hex> <length in bytes> <json>`. JSON has no line break in it, so a line is where to begin anew. */
export function encodeLine(json: string): string {
  return `${crcOf(json)} ${Buffer.byteLength(json)} ${json}\n`;
}

const crcOf = (bytes: string | Uint8Array): string => Bun.hash.crc32(bytes).toString(16).padStart(8, "0");

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
