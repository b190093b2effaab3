// `npm run check`: types, lint, format, architecture and quick unit tests, together. Prints details of failures only.

import { cpuSeconds } from "./cpu-time.mjs";
import { ensureInstalled } from "./ensure-installed.mjs";
import { checkStyle, checkTypes, checkWebTypes, listTestFiles, runTests, timed } from "./phases.mjs";
import { isQuick } from "./test-costs.mjs";
import { TestOutput } from "./test-output.mjs";

const bun = await ensureInstalled({ purpose: "develop" });
const unitTests = listTestFiles().filter((file) => /^(src|scripts)\//.test(file));
const files = ["test/architecture.test.ts", ...unitTests.filter(isQuick)];

const results = await Promise.all([
  timed(checkTypes()).then(report),
  timed(checkWebTypes()).then(report),
  timed(checkStyle()).then(report),
  timed(runUnitTests()).then(report),
]);
process.exitCode = results.every((result) => result.failed.length === 0) ? 0 : 1;
const seconds = cpuSeconds(process.pid);
if (seconds !== null) console.log(`${Math.round(seconds)} CPU seconds`);
const slowCount = unitTests.length + 1 - files.length;
if (slowCount > 0) console.log(`${slowCount} slow unit test files not run: npm test runs them`);

async function runUnitTests() {
  const lines = [];
  const reader = new TestOutput({ files, show: (line) => lines.push(line) });
  const result = await runTests({ bun, name: "architecture and unit", files, reader });
  return { ...result, output: lines.join("\n") };
}

function report(result) {
  const ok = result.failed.length === 0;
  const skipped = result.skipped.length > 0 ? `, ${result.skipped.length} skipped` : "";
  const counts = `${result.passed} passed, ${result.failed.length} failed${skipped}`;
  if (!ok) console.log(`\n${result.output.trimEnd()}\n`);
  console.log(`${ok ? "ok  " : "FAIL"}  ${result.name.padEnd(22)} ${`${result.seconds} s`.padStart(7)}   ${counts}`);
  if (!ok) for (const name of result.failed) console.log(`        ${name}`);
  return result;
}
