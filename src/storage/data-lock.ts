import { Database } from "bun:sqlite";
import { mkdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";

export interface DataLock {
  /** The lock's file held something else and was emptied; nothing is kept in it. */
  readonly wasDamaged: boolean;
  release(): void;
}

export class DataDirLockedError extends Error {
  override readonly name = "DataDirLockedError";

  constructor(
    readonly dataDir: string,
    /** Null when the holder has not written its number yet. */
    readonly holderPid: number | null,
  ) {
    const holder = holderPid === null ? "another process" : `another process (pid ${holderPid})`;
    super(
      `The data folder ${dataDir} is in use by ${holder}. ` +
        "Stop that process, or give this one a folder of its own with --data-dir or TURNPIKE_DATA_DIR.",
    );
  }
}

/** Bun closes a database that nobody refers to any more; a caller who drops the lock must not lose it that way. */
const held = new Set<Database>();

/**
 * Keeps a second process out of the folder. The lock is an open SQLite transaction rather than a file with a number
 * in it: the kernel drops it with the process, however that ends, and it needs no native code of ours.
 */
export function lockDataDir(dataDir: string): DataLock {
  const folder = resolve(dataDir);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const pidFile = join(folder, "lock.pid");
  const path = join(folder, "lock.db");
  let wasDamaged = false;
  let db: Database;
  try {
    try {
      db = takeLock(path);
    } catch (error) {
      if (codeOf(error) !== "SQLITE_NOTADB") throw error;
      // Whoever held the lock would have been met before the file was read. Emptied in place: a new file would be a second lock.
      truncateSync(path);
      wasDamaged = true;
      db = takeLock(path);
    }
  } catch (error) {
    if (codeOf(error) === "SQLITE_BUSY") throw new DataDirLockedError(folder, readPid(pidFile));
    throw error;
  }
  held.add(db);
  notePid(pidFile);
  return {
    wasDamaged,
    release() {
      // Before the lock goes: afterwards the file may be the next holder's.
      forgetPid(pidFile);
      db.close();
      held.delete(db);
    },
  };
}

function takeLock(path: string): Database {
  const db = new Database(path, { create: true, readwrite: true });
  try {
    db.run("pragma busy_timeout = 0");
    // Without a file for going back: a lock that writes could not be had on a full disk, and what a start would clear stays.
    db.run("pragma journal_mode = memory");
    db.run("begin exclusive");
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

/** Only for the message to whoever is refused: the lock holds without it. */
function notePid(pidFile: string): void {
  try {
    writeFileSync(pidFile, `${process.pid}\n`);
  } catch {
    // The disk is full.
  }
}

/** Whoever comes next writes its own over it. */
function forgetPid(pidFile: string): void {
  try {
    rmSync(pidFile, { force: true });
  } catch {
    // The disk is read-only: why the process ends is worth more than this.
  }
}

const codeOf = (error: unknown): unknown => (error instanceof Error && "code" in error ? error.code : null);

function readPid(pidFile: string): number | null {
  try {
    const pid = Number.parseInt(readFileSync(pidFile, "utf8"), 10);
    return Number.isNaN(pid) ? null : pid;
  } catch {
    return null;
  }
}
