// Loaded by every `bun test` process before its test files. It records the CPU time of each file, and terminates a test that
// exceeds its limit: Bun only reports such a test and lets it run on, where it breaks the tests after it.

import { afterAll, afterEach, beforeEach } from "bun:test";
import { appendFileSync } from "node:fs";
import { relative } from "node:path";
import { Worker } from "node:worker_threads";
import { cpuSeconds } from "./cpu-time.mjs";

const limitMs = Number(process.env.TURNPIKE_TEST_LIMIT_MS);
const costsFile = process.env.TURNPIKE_TEST_COSTS;

/** When the running test started, in milliseconds; 0 between tests. Shared with the watchdog thread. */
const startedAt = new Float64Array(new SharedArrayBuffer(8));
let exceeded = false;
let secondsBefore = 0;

beforeEach(() => {
  // `afterEach` does not run after a hook of the file that timed out.
  if (startedAt[0] !== 0 && Date.now() - startedAt[0] >= limitMs) exceeded = true;
  endIfExceeded();
  startedAt[0] = Date.now();
});

afterEach(() => {
  if (Date.now() - startedAt[0] >= limitMs) exceeded = true;
  startedAt[0] = 0;
});

// Runs after each file.
afterAll(() => {
  const seconds = cpuSeconds(process.pid);
  if (costsFile !== undefined && seconds !== null) {
    const file = relative(process.cwd(), Bun.main);
    appendFileSync(costsFile, `${JSON.stringify({ file, seconds: Math.max(0, seconds - secondsBefore) })}\n`);
    secondsBefore = seconds;
  }
  endIfExceeded();
});

/** Bun has named the test by now. The other files continue in a new process. */
function endIfExceeded() {
  if (!exceeded) return;
  console.error(`The test exceeded its limit of ${limitMs / 1000} s. The rest of the file does not run.`);
  process.exit(1);
}

/** Ends the process when a test blocks its thread, so that no timer can fire. */
const watchdog = `
  const { writeSync } = require("node:fs");
  const { workerData } = require("node:worker_threads");
  const { startedAt, limitMs } = workerData;
  setInterval(() => {
    const started = startedAt[0];
    if (started === 0 || Date.now() - started < 2 * limitMs) return;
    writeSync(2, "A test blocked its thread for longer than its limit. The rest of the file does not run.\\n");
    process.kill(process.pid, "SIGKILL");
  }, Math.min(limitMs, 1000));`;

new Worker(watchdog, { eval: true, workerData: { startedAt, limitMs } }).unref();
