const SMALLEST_BLOCK = 64 * 1024;
const LARGEST_BLOCK = 8 * 1024 * 1024;

/** Collects bytes whose number is not known before. Where a good guess is given, nothing is copied a second time. */
export class ByteSink {
  private readonly full: Uint8Array[] = [];
  private block: Uint8Array;
  private used = 0;
  private before = 0;

  constructor(guess = 0) {
    this.block = new Uint8Array(guess);
  }

  get length(): number {
    return this.before + this.used;
  }

  /** A place for at least `wanted` bytes; `advance` says how many were written. */
  room(wanted: number): Uint8Array {
    if (this.block.length - this.used < wanted) this.grow(wanted);
    return this.block.subarray(this.used);
  }

  advance(bytes: number): void {
    this.used += bytes;
  }

  add(bytes: Uint8Array): void {
    let rest = bytes;
    while (rest.length > 0) {
      const piece = rest.subarray(0, this.room(1).length);
      this.block.set(piece, this.used);
      this.used += piece.length;
      rest = rest.subarray(piece.length);
    }
  }

  finish(): Uint8Array<ArrayBuffer> {
    const last = this.block.subarray(0, this.used);
    if (this.full.length === 0) return last as Uint8Array<ArrayBuffer>;
    const whole = new Uint8Array(this.length);
    let at = 0;
    this.full.push(last);
    for (const piece of this.full) {
      whole.set(piece, at);
      at += piece.length;
      release(piece);
    }
    this.full.length = 0;
    this.block = new Uint8Array(0);
    this.used = 0;
    return whole;
  }

  private grow(wanted: number): void {
    if (this.used > 0) this.full.push(this.block.subarray(0, this.used));
    this.before += this.used;
    const size = Math.min(LARGEST_BLOCK, Math.max(SMALLEST_BLOCK, this.before));
    this.block = new Uint8Array(Math.max(size, wanted));
    this.used = 0;
  }
}

/** Gives the memory back at once, where the runtime can; elsewhere the garbage collector does it later. */
function release(piece: Uint8Array): void {
  (piece.buffer as ArrayBuffer & { transfer?: (bytes: number) => ArrayBuffer }).transfer?.(0);
}
