import {
  closeSync,
  fdatasync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";

/** The little that a journal asks of a file system; tests hand in one that fails. */
export interface JournalFiles {
  /** A new file. */
  create(path: string): JournalFile;
  makeFolder(path: string): void;
  /** Names in a folder; none where there is no such folder. */
  list(folder: string): readonly string[];
  /** Of those, the folders. */
  listFolders(folder: string): readonly string[];
  read(path: string): Uint8Array;
  rename(from: string, to: string): void;
  remove(path: string): void;
  /** Only if nothing is left in it. */
  removeFolder(path: string): void;
}

export interface JournalFile {
  /** May write less than was given, as the operating system may. */
  write(bytes: Uint8Array, at: number): number;
  truncate(length: number): void;
  /** Forces what was written to the disk. */
  sync(): Promise<void>;
  close(): void;
}

export const systemFiles: JournalFiles = {
  create(path) {
    const file = openSync(path, "wx", 0o600);
    return {
      write: (bytes, at) => writeSync(file, bytes, 0, bytes.length, at),
      truncate: (length) => ftruncateSync(file, length),
      sync: () =>
        new Promise((resolve, reject) => fdatasync(file, (error) => (error === null ? resolve() : reject(error)))),
      close: () => closeSync(file),
    };
  },
  makeFolder: (path) => void mkdirSync(path, { recursive: true, mode: 0o700 }),
  list(folder) {
    try {
      return readdirSync(folder).sort();
    } catch (thrown) {
      if ((thrown as NodeJS.ErrnoException).code === "ENOENT") return [];
      throw thrown;
    }
  },
  listFolders: (folder) =>
    systemFiles
      .list(folder)
      .filter((name) => statSync(join(folder, name), { throwIfNoEntry: false })?.isDirectory() === true),
  read: (path) => readFileSync(path),
  rename: (from, to) => renameSync(from, to),
  remove: (path) => rmSync(path, { force: true }),
  removeFolder(path) {
    try {
      rmdirSync(path);
    } catch {
      // Something is left in it, or it is gone: both are fine.
    }
  },
};
