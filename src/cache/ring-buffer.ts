/** Texts begin at every so many bytes, with what goes with them before. */
const UNIT_BYTES = 64;
const SEGMENT_UNITS = 16 * 1024;
const SEGMENT_BYTES = SEGMENT_UNITS * UNIT_BYTES;
/** Even of an empty text: so there are only so many of them. */
const UNITS_MIN = 6;

/** What goes with a text: whole numbers, and a time as a float after them. */
const UNITS = 0;
const BYTES = 1;
const HASH = 2;
const TIME = 2;
const HEAD_BYTES = 24;

interface Segment {
  readonly bytes: Buffer;
  readonly ints: Int32Array;
  readonly floats: Float64Array;
}

/**
 * Texts outside of the runtime's heap, one after the other in a ring: the oldest make room for new ones. What is kept for long
 * is not looked at by collections then, and is written in the order of memory. A text goes by its place.
 */
export class RingBuffer {
  /** How many texts there are at most. */
  readonly textsMax: number;
  private readonly segments: Segment[] = [];
  private readonly units: number;
  private next = 0;
  /** Units that have left since the beginning: where the oldest begins, counted on over all rounds of the ring. */
  private left = 0;
  private used = 0;

  constructor(
    bytesMax: number,
    private readonly onLeave: (place: number, hash: number) => void,
  ) {
    this.units = Math.floor(bytesMax / UNIT_BYTES);
    this.textsMax = Math.floor(this.units / UNITS_MIN);
  }

  /** A text in two parts, which are not put together for it; null where there is never room. Those that make room are told of before. */
  add(line: string, rest: string, hash: number, timeMs: number): number | null {
    const bytes = Buffer.byteLength(line) + Buffer.byteLength(rest);
    const units = Math.max(UNITS_MIN, Math.ceil((HEAD_BYTES + bytes) / UNIT_BYTES));
    if (units > this.units) return null;
    while (this.used + units > this.units) this.leave();
    const place = this.next;
    const { ints, floats } = this.segmentOf(place);
    const at = offsetOf(place);
    ints[at / 4 + UNITS] = units;
    ints[at / 4 + BYTES] = bytes;
    ints[at / 4 + HASH] = hash;
    floats[at / 8 + TIME] = timeMs;
    this.write(place, bytes, line, rest);
    this.next = (place + units) % this.units;
    this.used += units;
    return place;
  }

  read(place: number): string {
    const bytes = this.intOf(place, BYTES);
    const from = offsetOf(place) + HEAD_BYTES;
    if (this.isWhole(place, bytes)) return this.segmentOf(place).bytes.toString("utf8", from, from + bytes);
    const whole = Buffer.allocUnsafe(bytes);
    this.eachPiece(place, bytes, (piece, done) => piece.copy(whole, done));
    return whole.toString();
  }

  timeOf(place: number): number {
    return this.segmentOf(place).floats[offsetOf(place) / 8 + TIME] as number;
  }

  /** What it takes in all. */
  bytesOf(place: number): number {
    return this.intOf(place, UNITS) * UNIT_BYTES;
  }

  /** Whether more than half of the ring was written since. */
  isOld(place: number): boolean {
    return (this.next - place + this.units) % this.units > this.units / 2;
  }

  /** Where the next text will be written, counted on over all rounds: it never means another text later. */
  get end(): number {
    return this.left + this.used;
  }

  /** Looks at so many texts at most, those before `from` left out, the oldest first; gives where it has come to, up to `end`. */
  walk(from: number, textsMax: number, look: (place: number, hash: number) => void): number {
    let at = Math.max(from, this.left);
    for (let texts = 0; texts < textsMax && at < this.end; texts++) {
      const place = at % this.units;
      look(place, this.intOf(place, HASH));
      at += this.intOf(place, UNITS);
    }
    return at;
  }

  private leave(): void {
    const place = this.left % this.units;
    this.onLeave(place, this.intOf(place, HASH));
    const units = this.intOf(place, UNITS);
    this.left += units;
    this.used -= units;
  }

  private write(place: number, bytes: number, line: string, rest: string): void {
    if (this.isWhole(place, bytes)) {
      const { bytes: target } = this.segmentOf(place);
      const from = offsetOf(place) + HEAD_BYTES;
      target.write(rest, from + target.write(line, from));
      return;
    }
    const whole = Buffer.from(line + rest);
    this.eachPiece(place, bytes, (piece, done) => whole.copy(piece, 0, done));
  }

  /** Whether it lies in one segment, short of the end of the ring: nearly all do. */
  private isWhole(place: number, bytes: number): boolean {
    const end = HEAD_BYTES + bytes;
    return offsetOf(place) + end <= SEGMENT_BYTES && place * UNIT_BYTES + end <= this.units * UNIT_BYTES;
  }

  private eachPiece(place: number, bytes: number, use: (piece: Buffer, done: number) => void): void {
    const ringBytes = this.units * UNIT_BYTES;
    let at = place * UNIT_BYTES + HEAD_BYTES;
    for (let done = 0; done < bytes; ) {
      const from = at % SEGMENT_BYTES;
      const length = Math.min(bytes - done, SEGMENT_BYTES - from, ringBytes - at);
      use(this.segmentOf(Math.floor(at / UNIT_BYTES)).bytes.subarray(from, from + length), done);
      done += length;
      at = (at + length) % ringBytes;
    }
  }

  private intOf(place: number, index: number): number {
    return this.segmentOf(place).ints[offsetOf(place) / 4 + index] as number;
  }

  /** Made when it is first written to. */
  private segmentOf(place: number): Segment {
    const index = Math.floor(place / SEGMENT_UNITS);
    const known = this.segments[index];
    if (known) return known;
    const made = newSegment();
    this.segments[index] = made;
    return made;
  }
}

/** Within its segment, in bytes. */
const offsetOf = (place: number): number => (place % SEGMENT_UNITS) * UNIT_BYTES;

function newSegment(): Segment {
  const memory = new ArrayBuffer(SEGMENT_BYTES);
  return { bytes: Buffer.from(memory), ints: new Int32Array(memory), floats: new Float64Array(memory) };
}
