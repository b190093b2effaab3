import { afterAll, expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { changedForStyle } from "./style-cache.mjs";

const folder = mkdtempSync(join(tmpdir(), "turnpike-style-"));
const write = (name, text) => writeFileSync(join(folder, name), text);
const changed = () => changedForStyle(folder).paths.sort();
spawnSync("git", ["init", "-q"], { cwd: folder });
write(".gitignore", "node_modules\n");
afterAll(() => rmSync(folder, { recursive: true }));

test("a file is checked until it has passed, and again when it changes", () => {
  write("a.ts", "1");
  write("b.ts", "2");
  expect(changed()).toEqual(["a.ts", "b.ts"]);
  changedForStyle(folder).save("b.ts format: file content differs");
  expect(changed()).toEqual(["b.ts"]);
  changedForStyle(folder).save("");
  expect(changed()).toEqual([]);
  write("a.ts", "3");
  expect(changed()).toEqual(["a.ts"]);
});

test("every file is checked when Biome's settings change", () => {
  write("biome.json", "{}");
  expect(changed()).toEqual(["."]);
});
