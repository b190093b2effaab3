import { createHash } from "node:crypto";
import { closeSync, fsyncSync, openSync, rmSync, writeSync } from "node:fs";

/** Bytes that were received and are in a file, not yet in their place. */
export interface Spooled {
  readonly path: string;
  readonly sha256: string;
  readonly bytes: number;
}

/** A participant sent more than a model of this run can be. */
export class TooManyBytes extends Error {
  constructor(bytesMax: number) {
    super(`it sent more than ${bytesMax} bytes`);
  }
}

interface SpoolLimits {
  readonly bytesMax: number;
  /** Throws where the disk has too little room for more. */
  readonly requireRoom: () => void;
}

/** While so many bytes arrive, other files may take the room that there was. */
const LOOK_BYTES = 16 * 1024 ** 2;
/**
 * Written chunks are garbage. The runtime collects them only when there is about as much garbage as other memory,
 * which is several models on a busy machine. The bytes of all streams count together.
 */
const GARBAGE_BYTES_MAX = 32 * 1024 ** 2;
let garbageBytes = 0;

/** Writes bytes to a file as they arrive. A sender waits while the ones before are written. */
export async function spoolTo(
  path: string,
  chunks: AsyncIterable<Uint8Array>,
  { bytesMax, requireRoom }: SpoolLimits,
): Promise<Spooled> {
  requireRoom();
  const handle = openSync(path, "w");
  const hash = createHash("sha256");
  let bytes = 0;
  let looked = 0;
  try {
    for await (const chunk of chunks) {
      bytes += chunk.length;
      if (bytes > bytesMax) throw new TooManyBytes(bytesMax);
      if (bytes - looked >= LOOK_BYTES) {
        requireRoom();
        looked = bytes;
      }
      hash.update(chunk);
      for (let at = 0; at < chunk.length; ) at += writeSync(handle, chunk, at);
      collect(chunk.length);
    }
    fsyncSync(handle);
  } catch (thrown) {
    rmSync(path, { force: true });
    throw thrown;
  } finally {
    closeSync(handle);
  }
  return { path, sha256: hash.digest("hex"), bytes };
}

function collect(bytes: number): void {
  garbageBytes += bytes;
  if (garbageBytes < GARBAGE_BYTES_MAX) return;
  garbageBytes = 0;
  Bun.gc(true);
}
