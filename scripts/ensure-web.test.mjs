import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { root } from "./ensure-installed.mjs";
import { isBuilt, stampOf } from "./ensure-web.mjs";

let folder = "";
const write = (name, text) => writeFileSync(join(folder, name), text);
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "turnpike-web-"));
  mkdirSync(join(folder, "src", "pages"), { recursive: true });
  mkdirSync(join(folder, "dist"));
  write("package.json", "{}");
  write("src/main.tsx", "one");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe("the stamp of the pages", () => {
  test("is another one when a source changes, comes, goes or is renamed", () => {
    const stamps = new Set([stampOf(folder)]);
    const changes = [
      () => write("src/main.tsx", "two"),
      () => write("src/pages/keys.tsx", "keys"),
      () => write("src/pages/teams.tsx", "keys"),
      () => rmSync(join(folder, "src/pages/keys.tsx")),
      () => write("package.json", '{"a":1}'),
    ];
    for (const change of changes) {
      change();
      stamps.add(stampOf(folder));
    }
    expect(stamps.size).toBe(changes.length + 1);
  });

  test("is the same whatever was built or installed", () => {
    const before = stampOf(folder);
    write("dist/index.html", "built");
    mkdirSync(join(folder, "node_modules"));
    write("node_modules/x.js", "installed");
    expect(stampOf(folder)).toBe(before);
  });

  test("decides whether the pages are built", () => {
    const stamp = stampOf(folder);
    expect(isBuilt(folder, stamp)).toBe(false);
    write("dist/.turnpike-built.json", JSON.stringify({ stamp }));
    expect(isBuilt(folder, stamp)).toBe(true);
    write("src/main.tsx", "two");
    expect(isBuilt(folder, stampOf(folder))).toBe(false);
  });
});

test.each(["package-lock.json", "web/package-lock.json"])("%s holds the packages of every platform", (name) => {
  const { packages } = JSON.parse(readFileSync(join(root, name), "utf8"));
  const missing = Object.values(packages).flatMap(({ optionalDependencies = {} }) =>
    Object.keys(optionalDependencies).filter((wanted) => packages[`node_modules/${wanted}`] === undefined),
  );
  // A list that was made where some were not to be had is refused by `npm ci` on every other machine.
  expect(missing).toEqual([]);
});
