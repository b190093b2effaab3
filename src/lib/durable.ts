import { closeSync, fsyncSync, mkdirSync, openSync, renameSync } from "node:fs";
import { dirname, resolve } from "node:path";

/** Flushing a file keeps its bytes through a power cut; its name is in the folder, which has to be flushed as well. */
export function flushFolder(path: string): void {
  const handle = openSync(path, "r");
  try {
    fsyncSync(handle);
  } catch (thrown) {
    // Some file systems that are reached over a network have nothing to flush there.
    if (!["EINVAL", "ENOTSUP"].includes((thrown as NodeJS.ErrnoException).code ?? "")) throw thrown;
  } finally {
    closeSync(handle);
  }
}

/** Gives a file that has been flushed its name, for good. */
export function moveDurably(from: string, to: string): void {
  renameSync(from, to);
  flushFolder(dirname(to));
}

/** Makes a folder, and those that it lies in, for good. */
export function makeFolderDurably(path: string, mode?: number): void {
  const first = mkdirSync(path, { recursive: true, mode });
  if (first === undefined) return;
  const above = dirname(resolve(first));
  for (let folder = resolve(path); folder !== above; ) {
    folder = dirname(folder);
    flushFolder(folder);
  }
}
