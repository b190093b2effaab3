import { createWriteStream } from "node:fs";
import { open, readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { ReadableStream as NodeReadableStream } from "node:stream/web";
import { makeFolderDurably, moveDurably } from "../../lib/durable.ts";
import type { BlobStore } from "./blob-store.ts";

/** Files in a folder. What is half written has another name, so that nobody reads it. */
export function folderBlobs(folder: string): BlobStore {
  const pathOf = (name: string): string => join(folder, name);
  return {
    async put(name, bytes) {
      makeFolderDurably(folder, 0o700);
      const half = `${pathOf(name)}.part`;
      try {
        await pipeline(
          Readable.fromWeb(bytes as unknown as NodeReadableStream),
          createWriteStream(half, { mode: 0o600 }),
        );
        await flush(half);
        moveDurably(half, pathOf(name));
      } catch (thrown) {
        await rm(half, { force: true });
        throw thrown;
      }
    },
    async read(name) {
      const file = Bun.file(pathOf(name));
      return (await file.exists()) ? (file.stream() as ReadableStream<Uint8Array>) : null;
    },
    remove: (name) => rm(pathOf(name), { force: true }),
    async *list(beforeMs) {
      for (const name of await readdir(folder).catch(() => [])) {
        const found = await stat(pathOf(name)).catch(() => null);
        if (found && found.mtimeMs < beforeMs) yield name;
      }
    },
  };
}

/** Apart from the calls that go on meanwhile: a large file takes its time. */
async function flush(path: string): Promise<void> {
  const file = await open(path, "r+");
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}
