import { afterEach, expect, test } from "bun:test";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileAdvice } from "../../src/start/data-folder.ts";
import { newFolder, runTurnpike } from "../e2e/process.ts";

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
