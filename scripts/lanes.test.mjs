import { describe, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runInLanes } from "./lanes.mjs";

const at = (name) => `scripts/fixtures/tests/${name}.test.mjs`;
const SLOW_MS = 60_000;

async function run(names, more = {}) {
  const shown = [];
  const options = { bun: process.execPath, name: "tests", lanes: 3, show: (line) => shown.push(line), ...more };
  return { ...(await runInLanes({ ...options, files: names.map(at) })), shown };
}

describe("files in lanes", () => {
  test(
    "are counted together, and each that fails is named",
    async () => {
      const { passed, failed, skipped, byFile } = await run(["passing", "failing", "broken", "crashing", "leaving"]);
      expect(passed).toBe(3);
      expect(skipped).toEqual([`${at("passing")}: three`]);
      expect(failed).toContain(`${at("failing")}: is not`);
      for (const name of ["broken", "crashing", "leaving"]) expect(failed.join("\n")).toContain(at(name));
      expect(byFile.map(({ file, failed: count }) => [file, count > 0])).toEqual([
        [at("passing"), false],
        [at("failing"), true],
        [at("broken"), true],
        [at("crashing"), true],
        [at("leaving"), true],
      ]);
    },
    SLOW_MS,
  );

  test(
    "say nothing of what passed but a line, and all of a failure in one piece",
    async () => {
      const { shown } = await run(["failing", "passing"]);
      const [failing, passing] = [shown.indexOf(`\n${at("failing")}:`), shown.indexOf(`\n${at("passing")}:`)];
      expect(shown.slice(failing + 1, failing + 6)).toEqual([
        "error: expect(received).toBe(expected)",
        'Expected: "that"',
        'Received: "this"',
        expect.stringMatching(/^\(fail\) is not/),
        expect.stringMatching(/^FAIL {2}scripts\S+failing\S+ {2}1 passed, 1 failed, [\d.]+ s$/),
      ]);
      expect(shown.slice(passing + 1, passing + 3)).toEqual([
        "said by a test that passed",
        expect.stringMatching(/^ok {4}scripts\S+passing\S+ {2}2 passed, 1 skipped, [\d.]+ s$/),
      ]);
    },
    SLOW_MS,
  );

  test(
    "show each test with --verbose",
    async () => {
      const { shown } = await run(["passing"], { verbose: true });
      expect(shown.join("\n")).toMatch(/\(pass\) one[\s\S]*\(skip\) three/);
    },
    SLOW_MS,
  );

  test(
    "that cannot be run at all are failures",
    async () => {
      const { failed, passed } = await run(["passing"], { bun: "/nowhere/bun" });
      expect(passed).toBe(0);
      expect(failed.join("\n")).toContain(at("passing"));
    },
    SLOW_MS,
  );

  test(
    "run at the same time, and those that are to be alone after all others",
    async () => {
      const folder = mkdtempSync(join(tmpdir(), "turnpike-lanes-"));
      const log = join(folder, "log");
      const bun = join(folder, "bun");
      // In place of Bun: two of the files wait for each other's beginning.
      const meet = (own, other) => `touch ${folder}/${own}; while [ ! -e ${folder}/${other} ]; do sleep 0.01; done`;
      const script = `case "$*" in *one.test*) ${meet("one", "two")};; *two.test*) ${meet("two", "one")};; esac
for file in "$@"; do :; done; echo "$file" >> ${log}`;
      writeFileSync(bun, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
      const { failed } = await run(["alone", "one", "two"], { bun, alone: [at("alone")], lanes: 2 });
      expect(failed).toHaveLength(3);
      const ended = readFileSync(log, "utf8").trim().split("\n");
      rmSync(folder, { recursive: true });
      expect(ended).toHaveLength(3);
      expect(ended.at(-1)).toBe(`./${at("alone")}`);
    },
    SLOW_MS,
  );
});
