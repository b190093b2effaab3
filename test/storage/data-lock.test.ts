import { afterEach, beforeEach, expect, test } from "bun:test";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DataDirLockedError, lockDataDir } from "../../src/storage/data-lock.ts";

const MODULE = JSON.stringify(join(import.meta.dir, "../../src/storage/data-lock.ts"));

let dataDir: string;
beforeEach(() => {
  dataDir = join(mkdtempSync(join(tmpdir(), "turnpike-lock-")), "data");
});
afterEach(() => rmSync(join(dataDir, ".."), { recursive: true, force: true }));

/** Another process that takes the lock, says so, and keeps it until it is killed. */
async function holderProcess(): Promise<Bun.Subprocess> {
  const program = `
    import { lockDataDir } from ${MODULE};
    lockDataDir(${JSON.stringify(dataDir)});
    // A lock that nobody refers to any more is still a lock.
    await Bun.sleep(0);
    Bun.gc(true);
    process.stdout.write("locked");
    setInterval(() => {}, 60_000);`;
  const child = Bun.spawn([process.execPath, "-e", program], { stdout: "pipe" });
  const { value } = await child.stdout.getReader().read();
  expect(new TextDecoder().decode(value)).toBe("locked");
  return child;
}

function refusal(): DataDirLockedError {
  try {
    lockDataDir(dataDir).release();
  } catch (error) {
    if (error instanceof DataDirLockedError) return error;
    throw error;
  }
  throw new Error("the lock was given twice");
}

test("a second process is refused, with the folder, the holder's pid and the way out", async () => {
  const holder = await holderProcess();
  const error = refusal();
  expect(error.holderPid).toBe(holder.pid);
  expect(error.message).toContain(dataDir);
  expect(error.message).toContain(`pid ${holder.pid}`);
  expect(error.message).toContain("TURNPIKE_DATA_DIR");
  holder.kill("SIGKILL");
  await holder.exited;
});

test("a holder that is killed leaves the folder free", async () => {
  const holder = await holderProcess();
  holder.kill("SIGKILL");
  await holder.exited;
  const lock = lockDataDir(dataDir);
  expect(refusal().holderPid).toBe(process.pid);
  lock.release();
});

test("a released folder can be locked again and names nobody", () => {
  lockDataDir(dataDir).release();
  expect(existsSync(join(dataDir, "lock.pid"))).toBe(false);
  const lock = lockDataDir(dataDir);
  expect(refusal().holderPid).toBe(process.pid);
  rmSync(join(dataDir, "lock.pid"));
  expect(refusal()).toMatchObject({ holderPid: null, message: expect.stringContaining("another process.") });
  lock.release();
});

test("a full disk can be locked: nothing is written that the lock needs", async () => {
  mkdirSync(dataDir, { recursive: true });
  // Stands for a file that cannot be written.
  symlinkSync(join(dataDir, "no such folder", "file"), join(dataDir, "lock.pid"));
  const holder = await holderProcess();
  expect(readdirSync(dataDir).sort()).toEqual(["lock.db", "lock.pid"]);
  expect(statSync(join(dataDir, "lock.db")).size).toBe(0);
  expect(refusal().holderPid).toBeNull();
  holder.kill("SIGKILL");
  await holder.exited;
  const lock = lockDataDir(dataDir);
  expect(refusal().message).toContain("in use by");
  lock.release();
});

test("a lock whose file holds something else is made anew, and is one lock", () => {
  mkdirSync(dataDir, { recursive: true });
  writeFileSync(join(dataDir, "lock.db"), "this is no database, and longer than the head of one ".repeat(40));
  const lock = lockDataDir(dataDir);
  expect(lock.wasDamaged).toBe(true);
  expect(refusal().holderPid).toBe(process.pid);
  lock.release();
  const next = lockDataDir(dataDir);
  expect(next.wasDamaged).toBe(false);
  next.release();
});

test("a lock that somebody holds stays theirs, whatever is written into its file", async () => {
  const holder = await holderProcess();
  const garbage = "this is no database, and longer than the head of one ".repeat(40);
  writeFileSync(join(dataDir, "lock.db"), garbage);
  expect(refusal().holderPid).toBe(holder.pid);
  expect(readFileSync(join(dataDir, "lock.db"), "utf8")).toBe(garbage);
  holder.kill("SIGKILL");
  await holder.exited;
  lockDataDir(dataDir).release();
});

test("a lock is given back although its holder's number cannot be removed, as on a read-only disk", () => {
  const lock = lockDataDir(dataDir);
  rmSync(join(dataDir, "lock.pid"));
  mkdirSync(join(dataDir, "lock.pid"));
  lock.release();
  lockDataDir(dataDir).release();
});
