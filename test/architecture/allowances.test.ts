import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import {
  ALLOWANCES_FILE,
  type Allowances,
  compare,
  countPlaces,
  findPlaces,
  findRaises,
  lower,
  readAllowances,
  writeAllowances,
} from "./allowances.ts";
import { git } from "./git.ts";
import { findRaisesInHistory } from "./history.ts";
import { reportExcess, reportRaises, reportUnused } from "./report.ts";
import { readRepository } from "./repository.ts";
import { readSources } from "./rule.ts";
import { RULES } from "./rules.ts";

let root = "";
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "allowances-"));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function write(path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

const writeRow = (allowances: Allowances) => write(ALLOWANCES_FILE, writeAllowances(allowances));

function commit(): void {
  const identity = ["-c", "user.name=test", "-c", "user.email=test@example.com"];
  git(root, ["add", "--all"]);
  git(root, [...identity, "commit", "--quiet", "--message", "change"]);
}

function count() {
  const sources = readSources(readRepository(root));
  const findings = findPlaces(RULES, sources);
  return { findings, counts: countPlaces(findings, sources) };
}

describe("a place that was not there when the allowances were written", () => {
  const long = `export function long() {\n${"  run();\n".repeat(70)}}\n`;

  beforeEach(() => {
    git(root, ["init", "--quiet"]);
    write("src/lib/clock.ts", "/** The time of the server. */\nexport const now = () => Date.now();\n");
    commit();
  });

  test.each([
    ["a function", "src/lib/long.ts", long, "long functions", "long has 72 lines"],
    ["a word", "src/lib/clock.ts", "// Nobody waits.\n", "banned words", '"Nobody"'],
    ["a name", "src/lib/clock.ts", "export const letIn = 1;\n", "banned names", '"letIn"'],
    ["a line", "docs/a.md", `${"word ".repeat(25)}\n`, "long lines", "125 characters"],
  ])("fails, and is named: %s", (_, path, text, rule, message) => {
    const allowances = count().counts;
    write(path, text);
    const { findings, counts } = count();
    const problem = reportExcess(root, compare(allowances, counts), findings) ?? "";
    expect(problem).toContain(`1 ${rule}, 0 allowed`);
    expect(problem).toContain(`${path}:1`);
    expect(problem).toContain(message);
  });

  test("fails as a file: one under 20 lines with one importer, and the 26th of a folder", () => {
    const allowances = count().counts;
    write("src/lib/day.ts", "export const day = 86_400;\n");
    write("src/lib/clock.ts", 'import { day } from "./day.ts";\nexport const now = () => day;\n');
    for (let index = 0; index < 25; index++) write(`src/lib/a${index}.ts`, "export {};\n");
    const { findings, counts } = count();
    const problem = reportExcess(root, compare(allowances, counts), findings);
    expect(problem).toContain("src/lib/day.ts:1  1 lines, used only by src/lib/clock.ts: merge the two");
    expect(problem).toContain("27 files: divide the folder by subject");
  });

  test("is shown alone among the allowed ones, when git knows what changed", () => {
    write("src/lib/clock.ts", "// Nobody waits.\n");
    const allowances = count().counts;
    commit();
    write("src/lib/clock.ts", "// Nobody waits.\n\n// Everybody waits.\n");
    const { findings, counts } = count();
    const problem = reportExcess(root, compare(allowances, counts), findings);
    expect(problem).toContain("src/lib/clock.ts:3");
    expect(problem).not.toContain("src/lib/clock.ts:1");
  });

  test("does not fail when it is allowed; when it is gone, the allowance must be lowered", () => {
    write("src/lib/clock.ts", "// Nobody waits.\n");
    const allowances = count().counts;
    expect(compare(allowances, allowances)).toEqual([]);
    write("src/lib/clock.ts", "// The clock.\n");
    const differences = compare(allowances, count().counts);
    expect(reportExcess(root, differences, new Map())).toBeNull();
    expect(reportUnused(differences)).toContain("src/lib: 0 banned words, 1 allowed");
  });
});

describe("an allowance", () => {
  const row = (folder: string, words: number): Allowances => ({ [folder]: { words } });

  test.each([
    ["of a folder rises", row("src/a", 1), row("src/a", 2), 1],
    ["of a folder that has none rises", { ...row("src/a", 1), ...row("src/b", 0) }, row("src/b", 1), 1],
    ["of a new folder raises the sum", row("src/a", 1), { ...row("src/a", 1), ...row("src/b", 1) }, 1],
    ["of a renamed folder is the same", row("src/a", 2), row("src/b", 2), 0],
    ["of a divided folder is shared", row("src/a", 3), { ...row("src/a", 1), ...row("src/b", 2) }, 0],
    ["of a new rule starts", row("src/a", 1), { "src/a": { words: 1, lines: 9 } }, 0],
    ["falls", row("src/a", 2), row("src/a", 1), 0],
  ])("%s: %j -> %j is %i raises", (_, before, after, raises) => {
    expect(findRaises(before, after)).toHaveLength(raises);
  });

  test("is found as raised in the working tree, and in every earlier commit", () => {
    git(root, ["init", "--quiet"]);
    for (const words of [3, 1, 2]) {
      writeRow(row("src/a", words));
      commit();
    }
    const raises = findRaisesInHistory(root, row("src/a", 4));
    expect(raises.map(({ allowed, count, commit: made }) => [allowed, count, made === null])).toEqual([
      [2, 4, true],
      [1, 2, false],
    ]);
    expect(reportRaises(raises)).toContain("src/a: words: 2 -> 4");
    expect(reportRaises([])).toBeNull();
  });

  test("is lowered to the count and never raised by `npm run allowances`", () => {
    const counts = { "src/a": { words: 1, lines: 5 }, "src/c": { words: 2, lines: 0 } };
    const allowed = { "src/a": { words: 2, lines: 4 }, "src/b": { words: 1, lines: 1 } };
    expect(lower(allowed, counts)).toEqual({ "src/a": { words: 1, lines: 4 }, "src/c": { words: 2, lines: 0 } });
  });

  test("is written as it is read", () => {
    const allowances = { "src/a": { words: 1, lines: 5 }, ".": { words: 0, lines: 0 } };
    expect(readAllowances(writeAllowances(allowances))).toEqual(allowances);
  });
});
