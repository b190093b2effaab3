import { describe, expect, test } from "bun:test";
import { runTests } from "./phases.mjs";
import { fileLines, QuietOutput } from "./quiet-output.mjs";

const at = (name) => `scripts/fixtures/tests/${name}.test.mjs`;
const SLOW_MS = 60_000;

/** What a quiet run of these files shows and finds. */
async function runQuietly(names, parallel) {
  const shown = [];
  const files = names.map(at);
  const quiet = new QuietOutput({ files, show: (line) => shown.push(line) });
  const result = await runTests({ bun: process.execPath, name: "tests", files, parallel, quiet });
  return { ...result, shown: shown.join("\n"), lines: fileLines(result.byFile), counts: quiet.counts };
}

describe.each([
  ["in parallel", true],
  ["one after another", false],
])("a quiet run %s", (_, parallel) => {
  test(
    "says nothing of tests that passed but how many, and shows what they said",
    async () => {
      const { passed, failed, skipped, shown, lines, counts } = await runQuietly(["passing"], parallel);
      expect({ passed, failed, skipped: skipped.length }).toEqual({ passed: 2, failed: [], skipped: 1 });
      expect(counts).toMatchObject({ pass: 2, fail: 0 });
      expect(shown).not.toContain("(pass)");
      expect(shown).toContain(`\n${at("passing")}:\nsaid by a test that passed`);
      expect(lines).toEqual([`ok    ${at("passing")}  2 passed, 1 skipped`]);
    },
    SLOW_MS,
  );

  test(
    "shows a failure in full, and names it with its file",
    async () => {
      const { failed, shown, lines } = await runQuietly(["passing", "failing"], parallel);
      expect(failed).toEqual([`${at("failing")}: is not`]);
      // Where files run side by side, Bun itself may print the reason after the name, or another file's in between.
      expect(shown).toMatch(/failing\.test\.mjs:\n[\s\S]*\(fail\) is not/);
      expect(shown).toContain('Expected: "that"\nReceived: "this"');
      expect(lines).toContain(`FAIL  ${at("failing")}  1 passed, 1 failed`);
      expect(lines).toContain(`ok    ${at("passing")}  2 passed, 1 skipped`);
    },
    SLOW_MS,
  );

  test.each(["crashing", "leaving", "broken"])(
    "is red when a file is %s",
    async (name) => {
      const { failed, lines } = await runQuietly(["passing", name], parallel);
      expect(failed).not.toEqual([]);
      expect(lines.join("\n")).toContain("FAIL");
    },
    SLOW_MS,
  );
});

test("a line that was cut off is read all the same", () => {
  const shown = [];
  const quiet = new QuietOutput({ files: ["a.test.ts"], show: (line) => shown.push(line) });
  for (const chunk of ["bun te", "st v1\n\na.te", "st.ts:\n(pass) x\n(pa", "ss) y\n\nout", "side\n\n(fail) z"]) {
    quiet.push(chunk);
  }
  quiet.end();
  expect(shown).toEqual(["bun test v1", "\na.test.ts:", "outside", "", "(fail) z"]);
  expect(quiet.counts).toEqual({ pass: 2, skip: 0, todo: 0, fail: 1 });
});

test("what Bun sums up at the end does not stand under a file's name", () => {
  const shown = [];
  const quiet = new QuietOutput({ files: ["a.test.ts"], show: (line) => shown.push(line) });
  quiet.push("a.test.ts:\n(pass) x\n\n 1 pass\n 0 fail\n");
  expect(shown).toEqual(["", " 1 pass", " 0 fail"]);
});
