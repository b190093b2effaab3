// `npm run check`: types, lint, format, architecture and unit tests, side by side; quiet when all is well.

import { ensureInstalled } from "./ensure-installed.mjs";
import { checkStyle, checkTypes, checkWebTypes, listTestFiles, runTests, timed } from "./phases.mjs";

const bun = await ensureInstalled({ purpose: "develop" });
const files = listTestFiles().filter((file) => /^(src|scripts)\//.test(file) || file === "test/architecture.test.ts");

const results = await Promise.all([
  timed(checkTypes({ capture: true })).then(report),
  timed(checkWebTypes({ capture: true })).then(report),
  timed(checkStyle({ capture: true })).then(report),
  timed(runTests({ bun, name: "architecture and unit", files, parallel: true, capture: true })).then(report),
]);
process.exitCode = results.every((result) => result.failed.length === 0) ? 0 : 1;

function report(result) {
  const ok = result.failed.length === 0;
  const skipped = result.skipped.length > 0 ? `, ${result.skipped.length} skipped` : "";
  const counts = `${result.passed} passed, ${result.failed.length} failed${skipped}`;
  if (!ok) console.log(`\n${result.output.trimEnd()}\n`);
  console.log(`${ok ? "ok  " : "FAIL"}  ${result.name.padEnd(22)} ${`${result.seconds} s`.padStart(7)}   ${counts}`);
  if (!ok) for (const name of result.failed) console.log(`        ${name}`);
  return result;
}
