import { accessSync, constants, existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { newKey } from "../accounts/key-format.ts";
import type { Config } from "../config/config.ts";
import { randomBase62 } from "../lib/ids.ts";
import { DataDirLockedError, type DataLock, lockDataDir } from "../storage/data-lock.ts";
import { loadSecretFile, SECRET_FILE, type SecretFile } from "../storage/secret-file.ts";
import { StartError } from "./start-error.ts";

/** Keeps other servers out of the data folder, in which all that is ours may be read and written. */
export function lockData({ dataDir, databaseUrl }: Config): DataLock {
  const lock = inWords(`The data folder ${resolve(dataDir)} cannot be used`, () => lockDataDir(dataDir));
  try {
    for (const name of databaseUrl === null ? [...DATABASE_FILES, ...FOLDERS] : FOLDERS)
      requireAccess(join(dataDir, name));
    return lock;
  } catch (thrown) {
    lock.release();
    throw thrown;
  }
}

const DATABASE_FILES = ["turnpike.db", "turnpike.db-wal", "turnpike.db-shm"];
const FOLDERS = ["journal", "files", "training"];

/** Somebody else's, as after a start by root, it would be taken for a database that is away, and waited for. */
function requireAccess(path: string): void {
  if (existsSync(path)) inWords(`${path} cannot be used`, () => accessSync(path, constants.R_OK | constants.W_OK));
}

/** Those of the data folder, made at the very first start. */
export const loadSecrets = ({ dataDir }: Config): SecretFile =>
  inWords(`${join(dataDir, SECRET_FILE)} cannot be used`, () =>
    loadSecretFile(dataDir, () => ({ secret: randomBase62(43), masterKey: newKey() })),
  );

/** What the operator can mend is said in a sentence, without a stack. */
function inWords<T>(what: string, work: () => T): T {
  try {
    return work();
  } catch (thrown) {
    if (thrown instanceof DataDirLockedError || thrown instanceof StartError) throw thrown;
    throw new StartError(`${what}: ${thrown instanceof Error ? thrown.message : thrown}${fileAdvice(thrown)}`);
  }
}

const ELSEWHERE = "name another folder with --data-dir or TURNPIKE_DATA_DIR";

/** What to do about a file or a folder that cannot be used, as a sentence to go on with; empty where nobody knows. */
export function fileAdvice(thrown: unknown): string {
  const code = thrown instanceof Error && "code" in thrown ? String(thrown.code) : "";
  if (/^(EACCES|EPERM|SQLITE_CANTOPEN|SQLITE_READONLY)/.test(code)) {
    const user = `The user that runs this (uid ${process.getuid?.()})`;
    return `. ${user} may not read and write there: make it the owner (chown), or ${ELSEWHERE}.`;
  }
  if (code === "EEXIST" || code === "ENOTDIR") return `. A file is in the way: move it, or ${ELSEWHERE}.`;
  if (code === "EROFS") return `. The disk is mounted read-only: ${ELSEWHERE}.`;
  return code === "ENOSPC" || code === "EDQUOT" ? `. The disk is full: make room, or ${ELSEWHERE}.` : "";
}
