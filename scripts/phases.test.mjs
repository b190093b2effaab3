import { describe, expect, test } from "bun:test";
import { runTests } from "./phases.mjs";
import { fileLines, TestOutput } from "./test-output.mjs";

const at = (name) => `scripts/fixtures/tests/${name}.test.mjs`;

async function run(names, options = {}) {
  const shown = [];
  const files = names.map(at);
  const reader = new TestOutput({ files, show: (line) => shown.push(line) });
  const result = await runTests({ bun: process.execPath, name: "tests", files, reader, ...options });
  return { ...result, shown: shown.join("\n"), lines: fileLines(result.byFile), counts: reader.counts };
}

describe("a test run", () => {
  test("counts tests that passed, and shows only what they printed", async () => {
    const { passed, failed, skipped, shown, lines, counts } = await run(["passing"]);
    expect({ passed, failed, skipped: skipped.length }).toEqual({ passed: 2, failed: [], skipped: 1 });
    expect(counts).toMatchObject({ pass: 2, fail: 0 });
    expect(shown).not.toContain("(pass)");
    expect(shown).toContain(`\n${at("passing")}:\nprinted by a test that passed`);
    expect(lines).toEqual([`ok    ${at("passing")}  2 passed, 1 skipped`]);
  });

  test("shows a failure in full, and names it with its file", async () => {
    const { failed, shown, lines } = await run(["passing", "failing"]);
    expect(failed).toEqual([`${at("failing")}: fails`]);
    // Bun may print the reason after the name, or lines of another file in between.
    expect(shown).toMatch(/failing\.test\.mjs:\n[\s\S]*\(fail\) fails/);
    expect(shown).toContain('Expected: "that"\nReceived: "this"');
    expect(lines).toContain(`FAIL  ${at("failing")}  1 passed, 1 failed`);
    expect(lines).toContain(`ok    ${at("passing")}  2 passed, 1 skipped`);
  });

  test.each(["crashing", "leaving", "broken"])("fails when a file is %s", async (name) => {
    const { failed, lines } = await run(["passing", name]);
    expect(failed).not.toEqual([]);
    expect(lines.join("\n")).toContain("FAIL");
  });

  test("terminates a test that exceeds its limit, names it, and continues with the other files", async () => {
    const { passed, failed, shown } = await run(["hanging", "passing", "failing"], { limitMs: 2000 });
    expect(failed).toContain(`${at("hanging")}: never ends`);
    expect(shown).toContain("(fail) never ends");
    expect(shown).not.toContain("ran after a test that exceeded its limit");
    expect(passed).toBe(4);
  });

  test("terminates a test that blocks its thread", async () => {
    const { failed, shown } = await run(["blocking"], { limitMs: 1000 });
    expect(failed.join("\n")).toContain(at("blocking"));
    expect(shown).toContain("A test blocked its thread");
  });

  test.skipIf(process.platform !== "linux")("measures the CPU time of each file", async () => {
    const { costs } = await run(["passing", "failing"]);
    expect([...costs.keys()].sort()).toEqual([at("failing"), at("passing")]);
    for (const seconds of costs.values()) expect(seconds).toBeGreaterThanOrEqual(0);
  });
});

describe("the output of a run", () => {
  test("may arrive in chunks that end inside a line", () => {
    const shown = [];
    const reader = new TestOutput({ files: ["a.test.ts"], show: (line) => shown.push(line) });
    const chunks = ["bun te", "st v1\n\na.te", "st.ts:\n(pass) x [1ms]\n(pa", "ss) y [1ms]\n\nout", "side\n\n(fail) z"];
    for (const chunk of chunks) reader.push(chunk);
    reader.end();
    expect(shown).toEqual(["bun test v1", "\na.test.ts:", "outside", "", "(fail) z"]);
    expect(reader.counts).toEqual({ pass: 2, skip: 0, todo: 0, fail: 1 });
  });

  test("may contain names with line breaks", () => {
    const shown = [];
    const reader = new TestOutput({ files: ["a.test.ts"], show: (line) => shown.push(line) });
    reader.push("a.test.ts:\n(pass) reads {\n  a: 1,\n} [0.05ms]\n(pass) x [1ms]\nprinted\n");
    expect(shown).toEqual(["\na.test.ts:", "printed"]);
    expect(reader.counts.pass).toBe(2);
  });

  test("ends with a summary that belongs to no file", () => {
    const shown = [];
    const reader = new TestOutput({ files: ["a.test.ts"], show: (line) => shown.push(line) });
    reader.push("a.test.ts:\n(pass) x [1ms]\n\n 1 pass\n 0 fail\n");
    expect(shown).toEqual(["", " 1 pass", " 0 fail"]);
  });
});
