import { afterEach, expect, test } from "bun:test";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { countPackages, isInstalled, writeStamp } from "./ensure-installed.mjs";
import { installAdvice, shortenNpmOutput } from "./install.mjs";

const roots = [];
afterEach(() => {
  for (const root of roots.splice(0)) rmSync(root, { recursive: true, force: true });
});

const elsewhere = process.platform === "linux" ? "darwin" : "linux";
const locked = {
  "": { name: "turnpike" },
  "node_modules/kysely": { version: "1.0.0" },
  "node_modules/fast-check": { version: "2.0.0", dev: true },
  "node_modules/other-platform": { version: "3.0.0", optional: true, os: [elsewhere] },
};

function writeLock(root, packages) {
  writeFileSync(join(root, "package-lock.json"), JSON.stringify({ lockfileVersion: 3, packages }));
}

/** A repository whose node_modules holds `installed`, as npm itself records it. */
function repository(installed) {
  const root = mkdtempSync(join(tmpdir(), "turnpike installed "));
  roots.push(root);
  writeLock(root, locked);
  mkdirSync(join(root, "node_modules"));
  for (const path of Object.keys(installed)) mkdirSync(join(root, path), { recursive: true });
  writeFileSync(join(root, "node_modules/.package-lock.json"), JSON.stringify({ packages: installed }));
  return root;
}

const production = { "node_modules/kysely": { version: "1.0.0" } };
const all = { ...production, "node_modules/fast-check": { version: "2.0.0" } };

test("what a plain npm install left behind is taken as it is, without the packages of other platforms", () => {
  const root = repository(all);
  expect(isInstalled(root, { withDev: true })).toBe(true);
  expect(JSON.parse(readFileSync(join(root, "node_modules/.turnpike-installed.json"), "utf8")).withDev).toBe(true);
});

test("the production packages are enough to run, not to test", () => {
  const root = repository(production);
  expect(isInstalled(root, { withDev: false })).toBe(true);
  expect(isInstalled(root, { withDev: true })).toBe(false);
});

test("a package that is missing, of another version or deleted asks for an install", () => {
  expect(isInstalled(repository({}), { withDev: false })).toBe(false);
  expect(isInstalled(repository({ "node_modules/kysely": { version: "0.9.0" } }), { withDev: false })).toBe(false);
  const deleted = repository(all);
  rmSync(join(deleted, "node_modules/kysely"), { recursive: true });
  expect(isInstalled(deleted, { withDev: false })).toBe(false);
});

test("a changed lock file asks for an install, a stamp for the same one does not", () => {
  const root = repository({});
  writeStamp(root, { withDev: true });
  expect(isInstalled(root, { withDev: true })).toBe(true);
  writeLock(root, { ...locked, "node_modules/pino": { version: "4.0.0" } });
  expect(isInstalled(root, { withDev: true })).toBe(false);
});

test("a fresh clone has nothing installed", () => {
  const root = mkdtempSync(join(tmpdir(), "turnpike fresh "));
  roots.push(root);
  writeLock(root, locked);
  expect(isInstalled(root, { withDev: false })).toBe(false);
  expect(existsSync(join(root, "node_modules"))).toBe(false);
});

test("the packages to fetch are counted for this platform", () => {
  const root = repository({});
  expect(countPackages(root, { withDev: true })).toBe(2);
  expect(countPackages(root, { withDev: false })).toBe(1);
});

test.each([
  ["npm error code ENOTFOUND", "could not be reached"],
  ["npm error code EACCES", "may not write"],
  ["npm error code ENOSPC", "disk is full"],
  ["npm error code EUSAGE", "disagree"],
  ["npm could not be started: spawn npm ENOENT", "npm was not found"],
  ["npm error something else", "start again"],
])("a failed install says what to do: %s", (output, advice) => {
  expect(installAdvice(output)).toContain(advice);
});

test("a failed install shows the error without warnings and manual pages", () => {
  const output =
    "npm warn EBADENGINE x\nnpm error code EUSAGE\nnpm error\nnpm error Clean install a project\nnpm error Usage:\n";
  expect(shortenNpmOutput(output)).toBe("npm error code EUSAGE");
});

test("every command of package.json begins with Node alone, which is all that a fresh clone has", () => {
  const { scripts } = JSON.parse(readFileSync(join(import.meta.dir, "../package.json"), "utf8"));
  const others = Object.entries(scripts).filter(
    ([, command]) => !/^exec node (bin|scripts)\/[\w-]+\.mjs\b/.test(command),
  );
  expect(others).toEqual([]);
});
