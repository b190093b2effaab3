import { Spool } from "../lib/spool.ts";
import { type BatchLine, type LineFault, parseLine } from "./parse-line.ts";
import type { BatchFault } from "./records.ts";

/** As OpenAI has it. */
export const FILE_BYTES_MAX = 200 * 1024 * 1024;
export const LINES_MAX = 50_000;
/** With those that are blank, which are passed over and yet looked at. */
const ROWS_MAX = 4 * LINES_MAX;
/** Enough to mend a file by. */
const FAULTS_MAX = 100;
const NEWLINE = 10;

interface Place {
  /** The number of the line. */
  readonly line: number;
  readonly start: number;
  readonly end: number;
}

/** The file of a batch, set aside: a bucket does not keep a connection open for a day. */
export class BatchInput {
  private readonly spool = new Spool();
  private places: Place[] = [];

  constructor(
    private readonly endpoint: string,
    private readonly lineBytesMax: number,
  ) {}

  /** The numbers of the lines that call something. */
  get lines(): readonly number[] {
    return this.places.map(({ line }) => line);
  }

  /** Reads all of it; what is wrong with it comes back. */
  async fill(bytes: ReadableStream<Uint8Array>): Promise<readonly BatchFault[]> {
    await this.spool.fill(upTo(bytes, FILE_BYTES_MAX + 1));
    if (this.spool.sizeBytes > FILE_BYTES_MAX) {
      return [ofFile("file_too_large", `The file is larger than ${FILE_BYTES_MAX} bytes.`)];
    }
    return this.check().catch((thrown) => {
      if (thrown instanceof TooManyRows) return [tooMany()];
      throw thrown;
    });
  }

  /** One of its lines, which was found to be good. */
  async take(line: number): Promise<BatchLine> {
    const place = this.places[this.indexOf(line)];
    const read = place && parseLine(await this.spool.slice(place.start, place.end - place.start), this.endpoint);
    if (!read?.call) throw new Error(`line ${line} of the batch's file cannot be read`);
    return read.call;
  }

  discard(): void {
    this.spool.discard();
  }

  private async check(): Promise<readonly BatchFault[]> {
    const faults: BatchFault[] = [];
    const seen = new Set<string>();
    for await (const { place, bytes } of linesOf(this.spool.read(), this.lineBytesMax)) {
      if (this.places.length >= LINES_MAX) return [...faults, tooMany()];
      this.places.push(place);
      for (const fault of this.faultsIn(bytes, seen)) faults.push({ ...fault, line: place.line });
      if (faults.length >= FAULTS_MAX) return faults.slice(0, FAULTS_MAX);
    }
    return this.places.length === 0 ? [ofFile("empty_file", "The file has no requests.")] : faults;
  }

  private faultsIn(bytes: Uint8Array | null, seen: Set<string>): readonly LineFault[] {
    if (bytes === null) {
      return [{ code: "line_too_long", message: `A line has at most ${this.lineBytesMax} bytes.`, param: null }];
    }
    const { customId, faults } = parseLine(bytes, this.endpoint);
    if (customId === null || !seen.has(customId)) {
      if (customId !== null) seen.add(customId);
      return faults;
    }
    const message = `The custom_id ${JSON.stringify(customId.slice(0, 64))} is another request's already.`;
    return [...faults, { code: "duplicate_custom_id", message, param: "custom_id" }];
  }

  /** Lines are in their order, and all but the empty ones are there. */
  private indexOf(line: number): number {
    let [low, high] = [0, this.places.length - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.places[middle]?.line ?? 0) < line) low = middle + 1;
      else high = middle;
    }
    return this.places[low]?.line === line ? low : -1;
  }
}

const ofFile = (code: string, message: string): BatchFault => ({ code, message, param: "input_file_id", line: null });

const tooMany = (): BatchFault =>
  ofFile("too_many_requests", `The file has more than ${LINES_MAX} requests, or than ${ROWS_MAX} lines.`);

class TooManyRows extends Error {}

async function* upTo(bytes: AsyncIterable<Uint8Array>, max: number): AsyncGenerator<Uint8Array> {
  let length = 0;
  for await (const chunk of bytes) {
    yield chunk;
    length += chunk.length;
    if (length >= max) return;
  }
}

/** Every line that is not blank; null in place of the bytes of one that is too long. */
async function* linesOf(
  source: AsyncIterable<Uint8Array>,
  bytesMax: number,
): AsyncGenerator<{ readonly place: Place; readonly bytes: Uint8Array | null }> {
  let pieces: Uint8Array[] = [];
  let [line, start, position] = [1, 0, 0];
  const taken = (end: number) => {
    const isLong = end - start > bytesMax;
    const bytes = isLong ? null : Buffer.concat(pieces);
    return bytes && isBlank(bytes) ? null : { place: { line, start, end }, bytes };
  };
  const keep = (piece: Uint8Array, end: number): void => {
    if (end - start <= bytesMax) pieces.push(piece);
    else pieces = [];
  };
  for await (const chunk of source) {
    let from = 0;
    for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, from)) {
      if (line > ROWS_MAX) throw new TooManyRows();
      // An empty line costs nothing: a file may have millions of them.
      const isEmpty = position + at === start;
      if (!isEmpty) keep(chunk.subarray(from, at), position + at);
      const found = isEmpty ? null : taken(position + at);
      if (found) yield found;
      pieces = [];
      from = at + 1;
      start = position + from;
      line++;
    }
    position += chunk.length;
    keep(chunk.subarray(from), position);
  }
  const last = taken(position);
  if (last) yield last;
}

/** A plain loop: a line of nothing but blanks may be as long as a request. */
function isBlank(bytes: Uint8Array): boolean {
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte !== 32 && byte !== 9 && byte !== 13) return false;
  }
  return true;
}
