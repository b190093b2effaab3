import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./ensure-installed.mjs";

/** CPU seconds of each test file, recorded by `npm test -- --record`. They order the files and predict the duration. */
const recordedPath = join(root, "test", "costs.json");

function readRecordedCosts() {
  return existsSync(recordedPath) ? JSON.parse(readFileSync(recordedPath, "utf8")) : {};
}

export function recordCosts(costs) {
  const rounded = [...costs].map(([file, seconds]) => [file, Number(seconds.toFixed(1))]).sort();
  writeFileSync(recordedPath, `${JSON.stringify(Object.fromEntries(rounded), null, 2)}\n`);
}

/** Files that need so many CPU seconds are left to `npm test`. */
const slowFileSeconds = 2;

/** Whether `npm run check` runs this file. */
export function isQuick(file) {
  return (readRecordedCosts()[file] ?? 0) < slowFileSeconds;
}

/** What the test processes have written so far (test-preload.mjs): file -> CPU seconds. */
export function readCosts(path) {
  if (!existsSync(path)) return new Map();
  const lines = readFileSync(path, "utf8").split("\n");
  return new Map(
    lines.filter(Boolean).map((line) => {
      const { file, seconds } = JSON.parse(line);
      return [file, seconds];
    }),
  );
}

/** Writes the recorded costs in the form in which Bun reads durations: it starts the longest files first. */
export function writeTimings(path, files) {
  const recorded = readRecordedCosts();
  const known = files.filter((file) => recorded[file] !== undefined);
  const timings = Object.fromEntries(known.map((file) => [file, Math.round(recorded[file] * 1000)]));
  writeFileSync(path, JSON.stringify({ version: 1, files: timings }));
}

/** Minutes for a run of these files on so many idle processors; null when too few of them have a recorded cost. */
export function expectedMinutes(files, processors) {
  const recorded = readRecordedCosts();
  const known = files.flatMap((file) => recorded[file] ?? []);
  if (known.length < files.length / 2) return null;
  const seconds = known.reduce((sum, each) => sum + each, 0);
  return Math.max(1, Math.round(seconds / processors / 60));
}
