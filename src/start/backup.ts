import { Database } from "bun:sqlite";
import { copyFileSync, existsSync, mkdirSync, readdirSync, rmSync, statSync } from "node:fs";
import { join, resolve, sep } from "node:path";
import { DataDirLockedError, type DataLock, lockDataDir } from "../storage/data-lock.ts";
import { requireThere } from "./ledger-commands.ts";
import type { OperatorFlags } from "./program.ts";
import { readConfig, withFlags } from "./read-config.ts";
import { StartError } from "./start-error.ts";

const DATABASE = "turnpike.db";
/** The database's own files, which are copied by it, and who holds the folder. */
const LEFT_OUT = /^(?:turnpike\.db.*|lock\..*)$/;
/** What it has of a server that runs is in the database in a moment; of one that was killed nothing else has it. */
const JOURNAL = "journal";

/**
 * `turnpike backup FOLDER`: what the data folder has, as it is at one moment, also while a server works with it. The database comes
 * first: files that are put in meanwhile are too many in the copy, and none is missing.
 */
export async function backup(flags: OperatorFlags, folder: string, print: (text: string) => void): Promise<number> {
  const target = resolve(folder);
  const { config } = readConfig(flags.config ?? null, withFlags(process.env, flags));
  const { dataDir, databaseUrl } = config;
  requireThere(databaseUrl === null ? join(dataDir, DATABASE) : dataDir, `There is nothing to back up in ${dataDir}`);
  if (existsSync(target) && readdirSync(target).length > 0) {
    throw new StartError(`${target} is not empty; name a new folder.`, "USAGE_ERROR");
  }
  if (`${target}${sep}`.startsWith(`${resolve(dataDir)}${sep}`)) {
    throw new StartError(`${target} lies in the data folder itself; name one elsewhere.`, "USAGE_ERROR");
  }
  mkdirSync(target, { recursive: true, mode: 0o700 });
  const lock = lockUnlessServed(dataDir);
  try {
    if (databaseUrl === null) copyDatabase(join(dataDir, DATABASE), join(target, DATABASE));
    const names = readdirSync(dataDir).filter((name) => !LEFT_OUT.test(name) && (name !== JOURNAL || lock));
    for (const name of names) copyAll(join(dataDir, name), join(target, name));
  } catch (thrown) {
    // Half a backup would be taken for one.
    for (const name of readdirSync(target)) rmSync(join(target, name), { recursive: true, force: true });
    throw new StartError(`The backup could not be made: ${thrown instanceof Error ? thrown.message : String(thrown)}.`);
  } finally {
    lock?.release();
  }
  const isWhole = databaseUrl === null;
  if (flags.json) print(JSON.stringify({ folder: target, database: isWhole }));
  else print(`${isWhole ? "All" : "All but the database, which pg_dump copies,"} is in ${target}.`);
  return 0;
}

/** Keeps servers out meanwhile; null where one works with the folder. */
function lockUnlessServed(dataDir: string): DataLock | null {
  try {
    return lockDataDir(dataDir);
  } catch (thrown) {
    if (thrown instanceof DataDirLockedError) return null;
    throw thrown;
  }
}

/** What somebody removes meanwhile is left out. */
function copyAll(from: string, to: string): void {
  try {
    if (!statSync(from).isDirectory()) copyFileSync(from, to);
    else {
      mkdirSync(to, { mode: 0o700 });
      for (const name of readdirSync(from)) copyAll(join(from, name), join(to, name));
    }
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code !== "ENOENT") throw thrown;
  }
}

/** SQLite writes the copy from one reading transaction: those who write go on meanwhile. */
function copyDatabase(from: string, to: string): void {
  const database = new Database(from, { readwrite: true, create: false });
  try {
    database.run("pragma busy_timeout = 5000");
    database.run("vacuum into ?", [to]);
  } finally {
    database.close();
  }
}
