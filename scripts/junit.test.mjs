import { expect, test } from "bun:test";
import { readResults } from "./junit.mjs";

const report = `<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="bun test" tests="5" failures="2" skipped="2">
  <testsuite name="src/a.test.ts" file="src/a.test.ts" tests="5">
    <testcase name="passes" classname="" time="0" file="src/a.test.ts" line="2" assertions="1" />
    <testcase name="skipped &amp; &lt;quoted&gt;" classname="" file="src/a.test.ts">
      <skipped />
    </testcase>
    <testcase name="later" classname="" file="src/a.test.ts">
      <skipped message="TODO" />
    </testcase>
    <testsuite name="group" file="src/a.test.ts">
      <testcase name="says &quot;no&quot;" classname="group" file="src/a.test.ts">
        <failure type="AssertionError" message="1 &gt; 2">a &lt;testcase&gt; in the text&#10;</failure>
      </testcase>
    </testsuite>
    <testcase name="breaks" classname="" file="src/a.test.ts"><error message="later" /></testcase>
  </testsuite>
</testsuites>`;

const onePass = `<testsuites><testcase name="passes" classname="" file="src/a.test.ts" /></testsuites>`;

test("passed, failed and skipped tests are told apart, and to-dos are skipped", () => {
  expect(readResults({ xml: report, files: ["src/a.test.ts"], exit: 1 })).toEqual({
    passed: 1,
    failed: ['src/a.test.ts: group > says "no"', "src/a.test.ts: breaks"],
    skipped: ["src/a.test.ts: skipped & <quoted>", "src/a.test.ts: later"],
    byFile: [{ file: "src/a.test.ts", passed: 1, failed: 2, skipped: 2 }],
  });
});

test("a run without a fault has no failures", () => {
  expect(readResults({ xml: onePass, files: ["src/a.test.ts"], exit: 0 })).toEqual({
    passed: 1,
    failed: [],
    skipped: [],
    byFile: [{ file: "src/a.test.ts", passed: 1, failed: 0, skipped: 0 }],
  });
});

test("a file that could not be loaded is a failure although the report leaves it out", () => {
  const { passed, failed } = readResults({ xml: onePass, files: ["src/a.test.ts", "src/b.test.ts"], exit: 1 });
  expect({ passed, failed }).toEqual({ passed: 1, failed: ["src/b.test.ts: did not load or was not reached"] });
});

test("an error outside of any test is a failure", () => {
  const { failed } = readResults({ xml: onePass, files: ["src/a.test.ts"], exit: 1 });
  expect(failed).toEqual(["bun test: exit code 1 though every test passed"]);
});

test("a crash without a report fails, whatever the exit code was", () => {
  const crashed = readResults({ xml: null, files: ["src/a.test.ts"], exit: "SIGSEGV" });
  expect(crashed.passed).toBe(0);
  expect(crashed.failed).toEqual([
    "src/a.test.ts: did not load or was not reached",
    "bun test left no report (ended by SIGSEGV)",
  ]);
  expect(readResults({ xml: null, files: ["src/a.test.ts"], exit: 0 }).failed).toHaveLength(1);
});
