import { afterEach, expect, test } from "bun:test";
import { chmodSync, chownSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileAdvice } from "../../src/start/data-folder.ts";
import { newFolder, PROGRAM, runTurnpike } from "../e2e/process.ts";

const ELSEWHERE = "--data-dir or TURNPIKE_DATA_DIR";
const folders: { remove(): void }[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) folder.remove();
});
function folder(): string {
  const made = newFolder();
  folders.push(made);
  return made.path;
}

async function run(path: string, args: string[]): Promise<string> {
  const command = runTurnpike(path, args);
  expect(await command.exited).toBe(1);
  return command.output();
}

test.each([
  ["a file in the folder's place", "data", "data"],
  ["a file in the place of a folder above it", "data", "data/inner"],
])("%s: the start and a migration say what to do, without a stack", async (_, file, dataDir) => {
  const path = folder();
  writeFileSync(join(path, file), "in the way");
  for (const command of [["serve", "--port", "0"], ["migrate"]]) {
    const said = await run(path, [...command, "--data-dir", dataDir]);
    expect(said).toContain(`The data folder ${join(path, dataDir)} cannot be used`);
    expect(said).toContain(`A file is in the way: move it, or name another folder with ${ELSEWHERE}.`);
    expect(said).not.toMatch(/\n\s+at /);
  }
});

/** Root may write everywhere: what it cannot is tried as somebody else. */
test.skipIf(process.getuid?.() === 0)(
  "a folder that may not be written: the start says whose it has to be",
  async () => {
    const path = folder();
    mkdirSync(join(path, "data"));
    chmodSync(join(path, "data"), 0o500);
    const said = await run(path, ["serve", "--port", "0"]);
    expect(said).toContain("may not read and write there");
  },
);

/** A user who is not root, whose files these are then. */
const NOBODY = 65_534;
const AS_NOBODY = ["setpriv", `--reuid=${NOBODY}`, `--regid=${NOBODY}`, "--clear-groups"];
const isRoot = process.getuid?.() === 0;
const program = isRoot ? [...AS_NOBODY, ...PROGRAM] : PROGRAM;
const runs = Bun.spawnSync([...program, "version"]).success;

test.skipIf(!runs).each(["turnpike.db", "journal", "files"])(
  "what the user may not read and write in its own folder is told at the start: %s",
  async (name) => {
    const path = folder();
    const at = join(path, "data", name);
    mkdirSync(join(path, "data"));
    if (name === "turnpike.db") writeFileSync(at, "");
    else mkdirSync(at);
    if (isRoot) for (const own of [path, join(path, "data"), at]) chownSync(own, NOBODY, NOBODY);
    chmodSync(at, 0);
    for (const args of [["serve", "--port", "0"], ["migrate"]]) {
      const command = runTurnpike(path, args, {}, [], program);
      expect(await command.exited).toBe(1);
      expect(command.output()).toContain(`data/${name} cannot be used: EACCES`);
      expect(command.output()).toContain("may not read and write there: make it the owner (chown)");
      expect(command.output()).not.toMatch(/\n\s+at /);
    }
    chmodSync(at, 0o700);
  },
  30_000,
);

test.each(["EACCES", "EPERM", "SQLITE_CANTOPEN", "SQLITE_READONLY", "SQLITE_READONLY_DIRECTORY"])(
  "%s names the user who may not, and another folder as the way out",
  (code) => {
    const advice = fileAdvice(Object.assign(new Error("no"), { code }));
    expect(advice).toContain(`(uid ${process.getuid?.()}) may not read and write there`);
    expect(advice).toContain(ELSEWHERE);
  },
);

test("what nobody has a word for is told as it is", () => {
  expect(fileAdvice(new Error("odd"))).toBe("");
  expect(fileAdvice(Object.assign(new Error("full"), { code: "ENOSPC" }))).toContain("The disk is full");
  expect(fileAdvice(Object.assign(new Error("ro"), { code: "EROFS" }))).toContain("read-only");
});
