// The steps of `npm test` and `npm run check`.

import { spawn, spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { root } from "./ensure-installed.mjs";
import { ensureWebInstalled } from "./ensure-web.mjs";
import { readResults } from "./junit.mjs";
import { changedForStyle } from "./style-cache.mjs";
import { readCosts, writeTimings } from "./test-costs.mjs";

const testFolders = ["src", "scripts", "test", "sdk", "bench"];
const testFile = /[._](test|spec)\.[cm]?[jt]sx?$/;
const skippedFolders = new Set(["node_modules", "fixtures", "dist"]);
/** One more than the processors: tests wait for servers, programs and the disk part of the time. */
export const processCount = Math.min(4, availableParallelism() + 1);
/** The same for every test, and long enough for the slowest one on a busy machine. */
const testLimitMs = 120_000;
const preload = join(root, "scripts", "test-preload.mjs");
const cacheFolder = join(root, "node_modules", ".cache", "turnpike");

/** Every test file, relative to the repository. */
export function listTestFiles() {
  return testFolders
    .filter((folder) => existsSync(join(root, folder)))
    .flatMap((folder) => walk(folder))
    .filter((path) => testFile.test(path))
    .sort();
}

function walk(folder) {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (!entry.isDirectory()) return [path];
    return skippedFolders.has(entry.name) || entry.name.startsWith(".") ? [] : walk(path);
  });
}

export function checkTypes() {
  return runTypeCheck("types", ".");
}

/** The UI has its own compiler configuration: it runs in a browser. */
export async function checkWebTypes() {
  const name = "types of the UI";
  const problem = await ensureWebInstalled();
  if (problem !== null) return { name, passed: 0, failed: [name], skipped: [], output: problem };
  return runTypeCheck(name, "web");
}

/** One thread needs two thirds of the CPU time of several, which check the same types more than once. */
function runTypeCheck(name, project) {
  mkdirSync(cacheFolder, { recursive: true });
  const state = join(cacheFolder, `types-${project === "." ? "program" : project}.tsbuildinfo`);
  const options = ["--singleThreaded", "--incremental", "--tsBuildInfoFile", state];
  return runAsOneTest(name, ["node_modules/typescript/bin/tsc", "-p", project, ...options]);
}

/** Checks only files that have changed since they last passed: all of them need 17 CPU seconds. */
export async function checkStyle() {
  const name = "lint and format";
  const { paths, save } = changedForStyle();
  if (paths.length === 0) return { name, passed: 1, failed: [], skipped: [], output: "" };
  const options = ["ci", "--colors=off", "--no-errors-on-unmatched", "--max-diagnostics=none"];
  const result = await runAsOneTest(name, ["node_modules/@biomejs/biome/bin/biome", ...options, ...paths]);
  save(result.output);
  return result;
}

async function runAsOneTest(name, args) {
  const { exit, output } = await run(process.execPath, args);
  const passed = exit === 0;
  return { name, passed: passed ? 1 : 0, failed: passed ? [] : [name], skipped: [], output };
}

/**
 * Runs test files with Bun in several processes, so that a crash costs one file and not the report. A process runs one file
 * after another and keeps its modules: what a module starts once, such as a server, is shared by the files of a process.
 *
 * `reader` receives the output as it comes; `env` adds to the environment; `limitMs` is the time that a test may take.
 */
export async function runTests({ bun, name, files, reader = null, env = {}, limitMs = testLimitMs }) {
  if (files.length === 0) return { name, passed: 0, failed: [], skipped: [], byFile: [], costs: new Map(), output: "" };
  const folder = mkdtempSync(join(tmpdir(), "turnpike-test-"));
  const [report, costs, timings] = ["junit.xml", "costs.jsonl", "timings.json"].map((file) => join(folder, file));
  writeTimings(timings, files);
  const args = [
    "test",
    // No server that a test started outlives the run, not even when Bun crashes or the run is interrupted.
    "--no-orphans",
    `--preload=${preload}`,
    `--timeout=${limitMs}`,
    "--reporter=junit",
    `--reporter-outfile=${report}`,
    `--timings=${timings}`,
    `--parallel=${processCount}`,
    "--no-isolate",
    ...files.map((file) => `./${file}`),
  ];
  try {
    // The folder also collects what tests leave behind. A database server runs as another user and must get through it.
    chmodSync(folder, 0o711);
    const added = {
      TMPDIR: folder,
      TURNPIKE_TEST_LIMIT_MS: String(limitMs),
      TURNPIKE_TEST_COSTS: costs,
      // Bun also collects garbage on a timer, which costs a fifth of the CPU time in processes with a large heap.
      BUN_GC_TIMER_DISABLE: "1",
    };
    // One pipe for both streams: two would lose the order of the lines.
    const command = ["sh", "-c", 'exec "$0" "$@" 2>&1', bun, ...args];
    const { exit, output } = await run(command[0], command.slice(1), { ...process.env, ...added, ...env }, reader);
    reader?.end();
    const xml = existsSync(report) ? readFileSync(report, "utf8") : null;
    return { name, ...readResults({ xml, files, exit }), costs: readCosts(costs), output };
  } finally {
    // The databases of a run have tens of thousands of files, for which `rmSync` needs 12 CPU seconds.
    spawnSync("rm", ["-rf", folder]);
  }
}

function run(command, args, env = process.env, reader = null) {
  const child = spawn(command, args, { cwd: root, env, stdio: ["ignore", "pipe", "pipe"] });
  const stop = () => child.kill("SIGTERM");
  process.on("exit", stop);
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (chunk) => {
      if (reader) reader.push(chunk);
      else output += chunk;
    });
  }
  return new Promise((resolve) => {
    const finish = (exit, text) => {
      process.off("exit", stop);
      resolve({ exit, output: text });
    };
    child.once("error", (error) => finish(1, error.message));
    child.once("close", (code, signal) => finish(code ?? signal ?? 1, output));
  });
}

for (const [signal, code] of Object.entries({ SIGINT: 130, SIGTERM: 143, SIGHUP: 129 })) {
  process.on(signal, () => process.exit(code));
}

export async function timed(phase) {
  const startedAt = performance.now();
  const result = await phase;
  return { ...result, seconds: ((performance.now() - startedAt) / 1000).toFixed(1) };
}
