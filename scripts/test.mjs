// `npm test`: everything, from a fresh clone. The last line is always `N passed, N failed, N skipped`.
// Words after `--` choose test files by a part of their path; types and lint are left out then.

import { ensureInstalled } from "./ensure-installed.mjs";
import { ensureServices } from "./ensure-services.mjs";
import { ensureWeb } from "./ensure-web.mjs";
import { checkStyle, checkTypes, checkWebTypes, listTestFiles, runTests, timed } from "./phases.mjs";

const filters = process.argv.slice(2);
const bun = await ensureInstalled({ purpose: "develop" });
await ensureServices();

const files = listTestFiles().filter((file) => filters.length === 0 || filters.some((part) => file.includes(part)));
// Tests in a browser fail by themselves where there are no pages.
if (files.some((file) => file.startsWith("test/browser/"))) {
  const problem = await ensureWeb();
  if (problem !== null) console.error(problem);
}
const isEndToEnd = (file) => /^test\/(e2e|browser)\//.test(file);
const tests = (name, chosen, parallel) => [
  name,
  () => runTests({ bun, name, files: chosen, parallel, capture: false }),
];

const phases = [
  ["types", () => checkTypes({ capture: false })],
  ["types of the pages", () => checkWebTypes({ capture: false })],
  ["lint and format", () => checkStyle({ capture: false })],
  tests(
    "unit and integration",
    files.filter((file) => !isEndToEnd(file)),
    true,
  ),
  tests("end to end", files.filter(isEndToEnd), false),
];

const results = [];
for (const [name, phase] of filters.length === 0 ? phases : phases.slice(3)) {
  console.log(`\n=== ${name} ===`);
  results.push(await timed(phase()));
}
if (files.length === 0)
  results.push({ name: "tests", passed: 0, failed: ["no test file was found"], skipped: [], seconds: "0.0" });

const failed = results.flatMap((result) => result.failed);
const skipped = results.flatMap((result) => result.skipped);
const passed = results.reduce((sum, result) => sum + result.passed, 0);

console.log("");
for (const { name, seconds, ...result } of results) {
  const counts = `${result.passed} passed, ${result.failed.length} failed, ${result.skipped.length} skipped`;
  console.log(`${name.padEnd(22)} ${`${seconds} s`.padStart(8)}   ${counts}`);
}
printNames("skipped", skipped);
printNames("failed", failed);
console.log(`\n${passed} passed, ${failed.length} failed, ${skipped.length} skipped`);
process.exitCode = failed.length === 0 ? 0 : 1;

function printNames(what, names) {
  if (names.length === 0) return;
  console.log(`\n${names.length} ${what}:`);
  for (const name of names) console.log(`  ${name}`);
}
