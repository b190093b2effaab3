import { join } from "node:path";
import type { JournalFiles } from "./files.ts";

/** In the folder of a process, beside its journal. */
export const RESERVE_NAME = "reserve";
const PIECE_BYTES = 64 * 1024;

/**
 * Room for the ends of the calls that run: a file of nothing, which goes when the disk is full. Without it those ends were in
 * memory alone, and a process that was killed then had calls on record that were charged less than they had delivered.
 */
export class Reserve {
  private held = false;

  constructor(
    private readonly files: JournalFiles,
    private readonly folder: string,
    private readonly bytes: number,
  ) {}

  get isHeld(): boolean {
    return this.held || this.bytes === 0;
  }

  /** Throws where there is no room for it. */
  take(): void {
    if (this.isHeld) return;
    try {
      this.files.makeFolder(this.folder);
      const file = this.files.create(this.path);
      try {
        for (let at = 0; at < this.bytes; ) {
          // A file system that compresses keeps no room for zeros.
          const piece = crypto.getRandomValues(new Uint8Array(Math.min(PIECE_BYTES, this.bytes - at)));
          at += file.write(piece, at);
        }
      } finally {
        file.close();
      }
      this.held = true;
    } catch (thrown) {
      this.remove();
      throw thrown;
    }
  }

  /** Whether that made room. */
  giveUp(): boolean {
    if (!this.held) return false;
    this.held = false;
    return this.remove();
  }

  private remove(): boolean {
    try {
      this.files.remove(this.path);
      return true;
    } catch {
      return false;
    }
  }

  private get path(): string {
    return join(this.folder, RESERVE_NAME);
  }
}
