import { closeSync, openSync, read, statfsSync, unlinkSync, write } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

const readAt = promisify(read);
const writeAt = promisify(write);

/** A spool keeps so many bytes in memory; a longer one is a file. */
export const SPOOL_MEMORY_BYTES = 1024 * 1024;
const READ_BYTES = 256 * 1024;
/** The usage journal and the database may need the rest of the same disk. */
const KEEP_FREE_BYTES = 16 * 1024 * 1024;

function freeBytesHere(): number {
  const { bavail, bsize } = statfsSync(tmpdir());
  return bavail * bsize;
}

/** The folder for temporary files takes nothing: the disk is full, or it cannot be written to. */
export class SpoolFault extends Error {}

/**
 * Bytes set aside until somebody has read them, as often as need be: in memory while there are few, else in a file that has no name any more and so
 * is gone with the process, however that ends.
 */
export class Spool {
  private chunks: Uint8Array[] = [];
  private length = 0;
  private file: number | null = null;
  /** Reads and writes of the file that have not ended: its number would soon be another file's. */
  private busy = 0;
  private isDiscarded = false;

  /** `freeBytes` returns the free space on the disk of temporary files. */
  constructor(private readonly freeBytes: () => number = freeBytesHere) {}

  get sizeBytes(): number {
    return this.length;
  }

  async fill(source: AsyncIterable<Uint8Array>): Promise<void> {
    for await (const chunk of source) {
      if (this.file !== null || this.length + chunk.length > SPOOL_MEMORY_BYTES) await this.store(chunk);
      if (this.isDiscarded) return;
      if (this.file === null) this.chunks.push(chunk);
      this.length += chunk.length;
    }
  }

  /** The bytes from the beginning, each time. */
  read(): ReadableStream<Uint8Array> {
    let position = 0;
    let index = 0;
    const source = {
      pull: async (controller: ReadableStreamDefaultController<Uint8Array>) => {
        const chunk = this.file === null ? this.chunks[index++] : await this.take(this.file, position, READ_BYTES);
        if (!chunk || chunk.length === 0) return controller.close();
        position += chunk.length;
        controller.enqueue(chunk);
      },
    };
    // Nothing ahead of who asks: who wants the beginning alone leaves no read behind.
    return new ReadableStream<Uint8Array>(source, { highWaterMark: 0 });
  }

  /** So many bytes from a place on; fewer where they end before. */
  async slice(start: number, bytes: number): Promise<Buffer> {
    if (this.file !== null) return (await this.take(this.file, start, bytes)) ?? Buffer.alloc(0);
    const found: Uint8Array[] = [];
    let position = 0;
    for (const chunk of this.chunks) {
      if (start < position + chunk.length && position < start + bytes)
        found.push(chunk.subarray(Math.max(0, start - position), start + bytes - position));
      position += chunk.length;
    }
    return Buffer.concat(found);
  }

  /** Also while it is filled or read, which then ends. */
  discard(): void {
    this.isDiscarded = true;
    this.chunks = [];
    this.length = 0;
    this.closeWhenIdle();
  }

  private closeWhenIdle(): void {
    if (!this.isDiscarded || this.busy > 0 || this.file === null) return;
    closeSync(this.file);
    this.file = null;
  }

  private async using<T>(work: Promise<T>): Promise<T> {
    this.busy++;
    try {
      return await work;
    } finally {
      this.busy--;
      this.closeWhenIdle();
    }
  }

  private async take(file: number, position: number, bytes: number): Promise<Buffer | null> {
    const size = Math.min(bytes, this.length - position);
    if (size <= 0) return null;
    const { bytesRead, buffer } = await this.using(readAt(file, Buffer.allocUnsafe(size), 0, size, position));
    return this.isDiscarded ? null : buffer.subarray(0, bytesRead);
  }

  private async store(chunk: Uint8Array): Promise<void> {
    try {
      if (this.freeBytes() - chunk.length < KEEP_FREE_BYTES) throw new Error("its disk is almost full");
      if (this.file === null) await this.spill();
      if (this.file !== null) await this.append(this.file, chunk, this.length);
    } catch (cause) {
      throw new SpoolFault("the folder for temporary files cannot be written to", { cause });
    }
  }

  private async spill(): Promise<void> {
    if (this.isDiscarded) return;
    const path = join(tmpdir(), `turnpike-${crypto.randomUUID()}`);
    const file = openSync(path, "wx+", 0o600);
    unlinkSync(path);
    this.file = file;
    let position = 0;
    for (const chunk of this.chunks) {
      await this.append(file, chunk, position);
      position += chunk.length;
    }
    this.chunks = [];
  }

  private async append(file: number, chunk: Uint8Array, position: number): Promise<void> {
    let written = 0;
    while (written < chunk.length && !this.isDiscarded) {
      const left = chunk.length - written;
      const { bytesWritten } = await this.using(writeAt(file, chunk, written, left, position + written));
      written += bytesWritten;
    }
  }
}
