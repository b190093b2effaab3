// `npm test`: everything, from a fresh clone. The last line is always `N passed, N failed, N skipped`.
// Words after `--` choose test files by a part of their path; types and lint are left out then. Passed tests are only counted,
// a line for each file; with `--verbose` each is shown.

import { ensureInstalled } from "./ensure-installed.mjs";
import { ensureServices } from "./ensure-services.mjs";
import { ensureWeb } from "./ensure-web.mjs";
import { runInLanes } from "./lanes.mjs";
import { checkStyle, checkTypes, checkWebTypes, listTestFiles, runTests, timed } from "./phases.mjs";
import { fileLines, QuietOutput } from "./quiet-output.mjs";

const verbose = process.argv.includes("--verbose");
const filters = process.argv.slice(2).filter((word) => word !== "--verbose");
const bun = await ensureInstalled({ purpose: "develop" });
await ensureServices();

const everyFile = listTestFiles();
const files = everyFile.filter((file) => filters.length === 0 || filters.some((part) => file.includes(part)));
// Tests in a browser fail by themselves where there are no pages.
if (files.some((file) => file.startsWith("test/browser/"))) {
  const problem = await ensureWeb();
  if (problem !== null) console.error(problem);
}
const tellEveryMs = 20_000;
const isEndToEnd = (file) => /^test\/(e2e|browser)\//.test(file);
/** What looks at how much memory a process takes has the machine to itself. */
const alone = ["test/e2e/large-files.test.ts", "test/e2e/streams.test.ts"];
/** It takes twice as long as the next: begun in the middle, it would be waited for at the end. */
const longest = "test/browser/markup.test.ts";
for (const file of [...alone, longest]) if (!everyFile.includes(file)) throw new Error(`there is no ${file}`);

/** Failures as they come, how far it is now and then, and at the end a line for each file. */
async function runUnits(name) {
  const chosen = files.filter((file) => !isEndToEnd(file));
  if (verbose || chosen.length === 0) return runTests({ bun, name, files: chosen, parallel: true });
  const quiet = new QuietOutput({ files: chosen, show: (line) => console.log(line) });
  const timer = setInterval(() => {
    const { pass, fail } = quiet.counts;
    console.log(`... ${pass} passed, ${fail} failed so far`);
  }, tellEveryMs);
  const result = await runTests({ bun, name, files: chosen, parallel: true, quiet });
  clearInterval(timer);
  console.log("");
  for (const line of fileLines(result.byFile)) console.log(line);
  return result;
}

/** Then those of e2e, which take longer than most of the browser's. */
function runEndToEnd(name) {
  const rest = files.filter(isEndToEnd).reverse();
  const chosen = [...rest.filter((file) => file === longest), ...rest.filter((file) => file !== longest)];
  return runInLanes({ bun, name, files: chosen, alone, verbose, show: (line) => console.log(line) });
}

const phases = [
  ["types", () => checkTypes({ capture: false })],
  ["types of the pages", () => checkWebTypes({ capture: false })],
  ["lint and format", () => checkStyle({ capture: false })],
  ["unit and integration", runUnits],
  ["end to end", runEndToEnd],
];

const results = [];
for (const [name, phase] of filters.length === 0 ? phases : phases.slice(3)) {
  console.log(`\n=== ${name} ===`);
  results.push(await timed(phase(name)));
}
// A word that chooses nothing is a slip, and must not look like tests that passed.
const missed = filters.filter((part) => !everyFile.some((file) => file.includes(part)));
if (files.length === 0 || missed.length > 0) {
  const found =
    missed.length > 0 ? missed.map((part) => `no test file was found for ${part}`) : ["no test file was found"];
  results.push({ name: "tests", passed: 0, failed: found, skipped: [], seconds: "0.0" });
}

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
