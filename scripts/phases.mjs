// The steps that `npm test` and `npm run check` are made of.

import { spawn } from "node:child_process";
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { root } from "./ensure-installed.mjs";
import { ensureWebInstalled } from "./ensure-web.mjs";
import { readResults } from "./junit.mjs";

const testFolders = ["src", "scripts", "test", "sdk", "bench"];
const testFile = /[._](test|spec)\.[cm]?[jt]sx?$/;
/** One more than there are processors: tests wait for servers, programs and the disk for a part of their time. */
export const laneCount = Math.min(4, availableParallelism() + 1);
const leftOut = new Set(["node_modules", "fixtures", "dist"]);

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
    return leftOut.has(entry.name) || entry.name.startsWith(".") ? [] : walk(path);
  });
}

export function checkTypes({ capture }) {
  return runAsOneTest("types", ["node_modules/typescript/bin/tsc", "-p", "."], capture);
}

/** The pages have a compiler configuration of their own: they run in a browser. */
export async function checkWebTypes({ capture }) {
  const name = "types of the pages";
  const problem = await ensureWebInstalled();
  if (problem !== null) return { name, passed: 0, failed: [name], skipped: [], output: problem };
  return runAsOneTest(name, ["node_modules/typescript/bin/tsc", "-p", "web"], capture);
}

export function checkStyle({ capture }) {
  const colors = capture || !process.stdout.isTTY ? ["--colors=off"] : [];
  return runAsOneTest("lint and format", ["node_modules/@biomejs/biome/bin/biome", "ci", ...colors, "."], capture);
}

async function runAsOneTest(name, args, capture) {
  const { exit, output } = await run(process.execPath, args, capture);
  const ok = exit === 0;
  return { name, passed: ok ? 1 : 0, failed: ok ? [] : [name], skipped: [], output };
}

/**
 * Runs test files with Bun. In parallel each worker is a process, so that a crash costs one file, not the report. `capture`
 * keeps the output for later; `quiet` is told what is to be seen of it as it comes (quiet-output.mjs); otherwise all is shown.
 */
export async function runTests({ bun, name, files, parallel, capture = false, quiet = null }) {
  if (files.length === 0) return { name, passed: 0, failed: [], skipped: [], byFile: [], output: "" };
  const folder = mkdtempSync(join(tmpdir(), "turnpike-test-"));
  const report = join(folder, "junit.xml");
  // No server that a test started outlives the run, not even when Bun crashes or the run is broken off.
  const args = ["test", "--no-orphans", "--timeout=30000", "--reporter=junit", `--reporter-outfile=${report}`];
  if (capture) args.push("--only-failures");
  if (parallel) args.push(`--parallel=${laneCount}`, "--no-isolate");
  try {
    // What tests leave lying about goes with the folder. A database server runs as another user and must get through it.
    chmodSync(folder, 0o711);
    const env = { ...process.env, TMPDIR: folder };
    const all = [...args, ...files.map((file) => `./${file}`)];
    // One pipe for both of its streams: in two the lines would lose their order.
    const [command, ...rest] = quiet ? ["sh", "-c", 'exec "$0" "$@" 2>&1', bun, ...all] : [bun, ...all];
    const { exit, output } = await run(command, rest, capture || quiet !== null, env, quiet);
    quiet?.end();
    const xml = existsSync(report) ? readFileSync(report, "utf8") : null;
    return { name, ...readResults({ xml, files, exit }), output };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function run(command, args, capture, env = process.env, reader = null) {
  const streams = capture ? "pipe" : "inherit";
  const child = spawn(command, args, { cwd: root, env, stdio: ["ignore", streams, streams] });
  const stop = () => child.kill("SIGTERM");
  process.on("exit", stop);
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding("utf8").on("data", (chunk) => {
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
