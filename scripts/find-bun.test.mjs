import { afterEach, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { findBun } from "./find-bun.mjs";

const roots = [];
afterEach(() => {
  for (const root of roots.splice(0)) rmSync(root, { recursive: true, force: true });
});

/** A folder with files of the given sizes; large ones are sparse. */
function tree(files) {
  const root = mkdtempSync(join(tmpdir(), "turnpike find bun "));
  roots.push(root);
  for (const [path, bytes] of Object.entries(files)) {
    const file = join(root, "node_modules", path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, "");
    truncateSync(file, bytes);
  }
  return root;
}

const placeholder = { "bun/bin/bun.exe": 450 };
const binaryBytes = 90_000_000;
const linux = { platform: "linux", arch: "x64" };

test("without install scripts Bun is found in the platform package", () => {
  const root = tree({ ...placeholder, "@oven/bun-linux-x64/bin/bun": binaryBytes });
  expect(findBun(root, linux)).toBe(join(root, "node_modules/@oven/bun-linux-x64/bin/bun"));
});

test("arm64 and musl have their own names", () => {
  const arm = tree({ ...placeholder, "@oven/bun-linux-aarch64/bin/bun": binaryBytes });
  expect(findBun(arm, { platform: "linux", arch: "arm64" })).toEndWith("bun-linux-aarch64/bin/bun");
  expect(findBun(arm, linux)).toBeNull();
  const musl = tree({ ...placeholder, "@oven/bun-linux-x64-musl/bin/bun": binaryBytes });
  expect(findBun(musl, linux)).toEndWith("bun-linux-x64-musl/bin/bun");
});

test("after Bun's own install script it is found in the package bun", () => {
  const root = tree({ "bun/bin/bun.exe": binaryBytes, "@oven/bun-linux-x64/package.json": 400 });
  expect(findBun(root, linux)).toBe(join(root, "node_modules/bun/bin/bun.exe"));
});

test("the placeholder alone is not Bun, and neither is nothing", () => {
  expect(findBun(tree(placeholder), linux)).toBeNull();
  expect(findBun(tree({}), linux)).toBeNull();
});
