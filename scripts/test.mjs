// `npm test`: everything, in a fresh clone. The last line is always `N passed, N failed, N skipped`.
//   npm test -- WORD...        only test files whose path contains a word; types and lint are skipped
//   npm test -- --verbose      shows every test
//   npm test -- --record       also stores the CPU time of each file in test/costs.json
//   npm run test:nightly       with larger property runs and the repeated matrices

import { availableParallelism } from "node:os";
import { cpuSeconds } from "./cpu-time.mjs";
import { ensureImage } from "./ensure-image.mjs";
import { ensureInstalled, root } from "./ensure-installed.mjs";
import { ensureServices } from "./ensure-services.mjs";
import { ensureWeb } from "./ensure-web.mjs";
import { checkStyle, checkTypes, checkWebTypes, listTestFiles, runTests, timed } from "./phases.mjs";
import { expectedMinutes, recordCosts } from "./test-costs.mjs";
import { fileLines, TestOutput } from "./test-output.mjs";

const flags = new Set(process.argv.slice(2).filter((word) => word.startsWith("--")));
const words = process.argv.slice(2).filter((word) => !word.startsWith("--"));
const progressEveryMs = 20_000;
/** Files that measure the memory of a process: each runs by itself, after all others. */
const alone = [
  "test/e2e/large-files.test.ts",
  "test/e2e/streams.test.ts",
  "test/e2e/uptime/document-bombs.test.ts",
  "test/training/recovery/spool-memory.test.ts",
];

const bun = await ensureInstalled({ purpose: "develop" });
await ensureServices();
const allFiles = listTestFiles();
for (const file of alone)
  if (!allFiles.includes(file)) throw new Error(`scripts/test.mjs lists a missing file: ${file}`);
const files = allFiles.filter((file) => words.length === 0 || words.some((word) => file.includes(word)));
// Without the built UI, the browser tests fail and say so.
if (files.some((file) => file.startsWith("test/browser/"))) {
  const problem = await ensureWeb();
  if (problem !== null) console.error(problem);
}
// Built once: test processes that need it at the same time would each build their own.
if (files.some((file) => /^test\/(browser|cli|e2e|start|storage|training)\//.test(file))) {
  await ensureImage({ root, bun, mayBuild: true });
}

printExpectedDuration();
const results = words.length === 0 ? await checkSources() : [];
const secondsBefore = cpuSeconds(process.pid) ?? 0;
const shared = files.filter((file) => !alone.includes(file));
results.push(await runFiles("tests", shared));
for (const file of alone) if (files.includes(file)) results.push(await runFiles(file, [file]));
reportUnknownWords();
printResults();

function printExpectedDuration() {
  const processors = availableParallelism();
  const minutes = expectedMinutes(files, processors);
  if (minutes === null) return;
  console.log(`${files.length} test files, about ${minutes} min on ${processors} idle processors`);
}

/** At the same time: each uses one processor. */
async function checkSources() {
  console.log("\n=== types, lint and format ===");
  const checks = await Promise.all([timed(checkTypes()), timed(checkWebTypes()), timed(checkStyle())]);
  for (const { output } of checks) if (output.trim() !== "") console.log(output.trimEnd());
  return checks;
}

async function runFiles(name, chosen) {
  console.log(`\n=== ${name} ===`);
  const reader = new TestOutput({ files: chosen, show: (line) => console.log(line), verbose: flags.has("--verbose") });
  const timer = setInterval(() => {
    const { pass, fail } = reader.counts;
    console.log(`... ${reader.started.size} of ${chosen.length} files, ${pass} passed, ${fail} failed`);
  }, progressEveryMs);
  const env = flags.has("--nightly") ? { TURNPIKE_NIGHTLY: "1" } : {};
  const result = await timed(runTests({ bun, name, files: chosen, reader, env }));
  clearInterval(timer);
  if (words.length > 0) for (const line of fileLines(result.byFile)) console.log(line);
  return result;
}

/** A misspelt word selects nothing, which must not look like tests that passed. */
function reportUnknownWords() {
  const unknown = words.filter((word) => !allFiles.some((file) => file.includes(word)));
  if (unknown.length === 0) return;
  const failed = unknown.map((word) => `no test file matches ${word}`);
  results.push({ name: "selection", passed: 0, failed, skipped: [], seconds: "0.0" });
}

function printResults() {
  const failed = results.flatMap((result) => result.failed);
  const skipped = results.flatMap((result) => result.skipped);
  const passed = results.reduce((sum, result) => sum + result.passed, 0);
  console.log("");
  for (const { name, seconds, ...result } of results) {
    const counts = `${result.passed} passed, ${result.failed.length} failed, ${result.skipped.length} skipped`;
    console.log(`${name.padEnd(30)} ${`${seconds} s`.padStart(8)}   ${counts}`);
  }
  printCosts(new Map(results.flatMap(({ costs }) => [...(costs ?? [])])));
  printNames("skipped", skipped);
  printNames("failed", failed);
  console.log(`\n${passed} passed, ${failed.length} failed, ${skipped.length} skipped`);
  process.exitCode = failed.length === 0 ? 0 : 1;
}

function printCosts(costs) {
  if (costs.size === 0) return;
  if (flags.has("--record") && words.length === 0) recordCosts(costs);
  // A sum: the total at the end lacks processes that outlived their parents, such as those of a browser.
  const total = [...costs.values()].reduce((sum, seconds) => sum + seconds, secondsBefore);
  const expensive = [...costs].sort(([, a], [, b]) => b - a).slice(0, 10);
  console.log(`\n${Math.round(total)} CPU seconds in total. The most expensive files:`);
  for (const [file, seconds] of expensive) console.log(`${seconds.toFixed(1).padStart(7)} s  ${file}`);
}

function printNames(what, names) {
  if (names.length === 0) return;
  console.log(`\n${names.length} ${what}:`);
  for (const name of names) console.log(`  ${name}`);
}
