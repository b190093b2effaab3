/** A piece of at least this size is held as it is; smaller ones are put together. */
const PIECE_BYTES = 1024;
const BLOCK_BYTES = 4 * 1024;

/**
 * Frames that nobody has asked about yet. Small ones are copied into blocks: held one by one, those of a thousand slow
 * streams were half a million objects, which outlive the collections that are cheap.
 */
export class HeldFrames {
  /** In bytes, or in characters of what came as text. */
  length = 0;
  private pieces: (string | Uint8Array)[] = [];
  private block: Buffer | null = null;
  private used = 0;

  /** Whole events: no character is cut in two. */
  add(frames: string | Uint8Array): void {
    this.length += frames.length;
    if (frames.length >= PIECE_BYTES) {
      this.endBlock();
      this.pieces.push(frames);
      return;
    }
    const bytesMax = typeof frames === "string" ? frames.length * 3 : frames.length;
    const block = this.blockFor(bytesMax);
    if (typeof frames === "string") this.used += block.write(frames, this.used);
    else {
      block.set(frames, this.used);
      this.used += frames.length;
    }
  }

  /** All of them, once. */
  take(): string {
    let text = "";
    for (const piece of this.pieces) text += typeof piece === "string" ? piece : decoder.decode(piece);
    if (this.block && this.used > 0) text += decoder.decode(this.block.subarray(0, this.used));
    if (this.pieces.length > 0) this.pieces = [];
    this.used = 0;
    this.length = 0;
    return text;
  }

  private blockFor(bytes: number): Buffer {
    if (this.block && this.used + bytes <= this.block.length) return this.block;
    this.endBlock();
    this.block = Buffer.allocUnsafeSlow(BLOCK_BYTES);
    return this.block;
  }

  private endBlock(): void {
    if (this.used === 0) return;
    if (this.block) this.pieces.push(this.block.subarray(0, this.used));
    this.block = null;
    this.used = 0;
  }
}

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
