import type { JournalFile } from "./files.ts";

/** One file of the journal, and the calls that need it. */
export class Segment {
  /** How many calls are mentioned in it and not settled yet. */
  unsettled = 0;
  /** The files of a call that is mentioned in this one alone, as nearly all are: one list for all of them. */
  readonly alone: readonly Segment[] = [this];
  size = 0;
  /** How far anything was written: past the size lies what was refused and could not be cut off yet. */
  private extent = 0;
  private synced = 0;
  private closed = false;

  constructor(
    readonly path: string,
    private readonly file: JournalFile,
  ) {}

  /** All of it or nothing: what was written of it in part is cut off again, or written over by what comes next. */
  append(bytes: Uint8Array): void {
    this.write(bytes);
    this.size += bytes.length;
    this.cut();
  }

  /** Throws where so much could not be appended. Nothing of it stays. */
  tryRoom(bytes: number): void {
    // No zeros, for which a file system that compresses keeps no room, and no end of a line.
    this.write(crypto.getRandomValues(new Uint8Array(bytes)).map((byte) => byte | 0x80));
    this.cut();
  }

  async sync(): Promise<void> {
    const { size } = this;
    if (size === this.synced || this.closed) return;
    await this.file.sync();
    this.synced = size;
  }

  /** Once: the number of a closed file is soon another file's. */
  close(): void {
    if (this.closed) return;
    this.closed = true;
    this.cut();
    this.file.close();
  }

  private write(bytes: Uint8Array): void {
    try {
      for (let written = 0; written < bytes.length; ) {
        const count = this.file.write(bytes.subarray(written), this.size + written);
        if (count <= 0) throw new Error("nothing more can be written");
        written += count;
        this.extent = Math.max(this.extent, this.size + written);
      }
    } catch (thrown) {
      this.cut();
      throw thrown;
    }
  }

  /** Back to the last whole record. Where even that fails it is tried again the next time. */
  private cut(): void {
    if (this.extent === this.size) return;
    try {
      this.file.truncate(this.size);
      this.extent = this.size;
    } catch {
      // What comes next begins at the same place.
    }
  }
}
