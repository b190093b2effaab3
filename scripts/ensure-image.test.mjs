import { afterEach, expect, test } from "bun:test";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ensureImage } from "./ensure-image.mjs";

const roots = [];
afterEach(() => {
  for (const root of roots.splice(0)) rmSync(root, { recursive: true, force: true });
});

/** A program that prints a word and its root. */
function program(word) {
  const root = mkdtempSync(join(tmpdir(), "turnpike image "));
  roots.push(root);
  mkdirSync(join(root, "src/storage/sqlite"), { recursive: true });
  writeFileSync(join(root, "package.json"), "{}");
  writeFileSync(join(root, "package-lock.json"), "{}");
  writeFileSync(join(root, "src/storage/sqlite/worker.ts"), "export const worker: number = 1;\n");
  writeFileSync(join(root, "src/other-worker.ts"), "export const other: number = 1;\n");
  say(root, word);
  return root;
}

const say = (root, word) =>
  writeFileSync(join(root, "src/main.ts"), `console.log(${JSON.stringify(word)}, process.env.TURNPIKE_ROOT);\n`);

const ensure = (root, mayBuild = true) => ensureImage({ root, bun: process.execPath, mayBuild });
const outputOf = (entry) => Bun.spawnSync([process.execPath, entry]).stdout.toString().trim();

test("an image is made once, knows where the program lies, and has its threads beside it", async () => {
  const root = program("one");
  const entry = await ensure(root);
  expect(entry).toStartWith(join(root, "dist"));
  expect(outputOf(entry)).toBe(`one ${root}`);
  for (const name of ["worker.js", "other-worker.js"]) expect(existsSync(join(entry, "..", name))).toBe(true);
  expect(await ensure(root, false)).toBe(entry);
});

test("a source, a package or a new file makes another image; the last ones stay for those who run them", async () => {
  const root = program("one");
  const first = await ensure(root);
  say(root, "another");
  const second = await ensure(root);
  expect([outputOf(first), outputOf(second)]).toEqual([`one ${root}`, `another ${root}`]);
  writeFileSync(join(root, "package-lock.json"), '{"changed": true}');
  const third = await ensure(root);
  writeFileSync(join(root, "src/new.ts"), "");
  const fourth = await ensure(root);
  expect(new Set([first, second, third, fourth]).size).toBe(4);
  expect(readdirSync(join(root, "dist"))).toHaveLength(3);
  expect([existsSync(first), existsSync(fourth)]).toEqual([false, true]);
});

test("a test that changed makes no other image, a touched source does", async () => {
  const root = program("one");
  const entry = await ensure(root);
  writeFileSync(join(root, "src/main.test.ts"), "");
  expect(await ensure(root)).toBe(entry);
  utimesSync(join(root, "src/main.ts"), 1, 1);
  expect(await ensure(root)).not.toBe(entry);
});

test("without an image the sources are started: where none may be made, and where none can be", async () => {
  const root = program("one");
  const source = join(root, "src/main.ts");
  expect(await ensure(root, false)).toBe(source);
  writeFileSync(join(root, "src/storage/sqlite/worker.ts"), "this is no program");
  expect(await ensure(root)).toBe(source);
  expect(readdirSync(join(root, "dist"))).toEqual([]);
  expect(await ensureImage({ root, bun: "/nowhere/bun", mayBuild: true })).toBe(source);
  rmSync(join(root, "dist"), { recursive: true });
  // A file where the folder should be: as good as a disk that may not be written to, also for root.
  writeFileSync(join(root, "dist"), "");
  expect(await ensure(root)).toBe(source);
});

test("many starts at once end with one whole image", async () => {
  const root = program("one");
  const entries = await Promise.all(Array.from({ length: 4 }, () => ensure(root)));
  expect(new Set(entries).size).toBe(1);
  expect(outputOf(entries[0])).toBe(`one ${root}`);
  expect(readdirSync(join(root, "dist"))).toHaveLength(1);
});
