// `npm run bench:settlement -- [--rate 2000] [--seconds 60] [--json]`: does settlement keep up with a steady rate of calls?
// Everything is on: key, budgets of key and team, a credit lease, two deployments, the journal, settlement into SQLite, metrics.

import { Database } from "bun:sqlite";
import { writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { newFolder, runTurnpike, startTurnpike, type Turnpike } from "../test/e2e/process.ts";
import { newOrganization } from "./new-organization.ts";
import { percentileOf, readMetrics } from "./read-metrics.ts";

const { values } = parseArgs({
  options: {
    rate: { type: "string", default: "2000" },
    seconds: { type: "string", default: "60" },
    json: { type: "boolean", default: false },
  },
});
const rate = Number(values.rate);
const seconds = Number(values.seconds);
const MASTER = "sk-master-key-of-the-settlement-bench";
const STEP_MS = 5;
const BODY = JSON.stringify({
  model: "bench",
  messages: [{ role: "user", content: "A prompt of nine tokens or so." }],
});

const root = fileURLToPath(new URL("..", import.meta.url));
const folder = newFolder();
const upstream = Bun.spawn([process.execPath, join(root, "bench/upstream.ts")], { stdout: "pipe" });
try {
  const { value } = await upstream.stdout.getReader().read();
  const address = new TextDecoder().decode(value).trim();
  writeFileSync(join(folder.path, "turnpike.yaml"), configuration(address));
  const gateway = await startTurnpike(folder.path, { TURNPIKE_MASTER_KEY: MASTER });
  const key = await newKey(gateway);
  const warmUp = await drive(gateway.url, key, Math.min(rate, 500), 2);
  const before = await readMetrics(gateway.url, MASTER);
  const watch = watchLag(gateway.url);
  const driven = await drive(gateway.url, key, rate, seconds);
  const lag = await watch.stop();
  const after = await readMetrics(gateway.url, MASTER);
  gateway.kill("SIGTERM");
  await gateway.exited;
  const verify = runTurnpike(folder.path, ["ledger", "verify"]);
  const verified = await verify.exited;
  const database = new Database(join(folder.path, "data/turnpike.db"), { readonly: true });
  const { n: rows } = database.query("select count(*) as n from usage_log where status = 'succeeded'").get() as {
    n: number;
  };
  database.close();
  const cpuSeconds = after.value("process_cpu_seconds_total") - before.value("process_cpu_seconds_total");
  report({
    command: `npm run bench:settlement -- --rate ${rate} --seconds ${seconds}`,
    machine: `${cpus().length} x ${cpus()[0]?.model ?? "unknown"}`,
    askedPerSecond: rate,
    answeredPerSecond: Math.round(driven.answered / driven.tookSeconds),
    answered: driven.answered,
    failed: driven.failed,
    latencyP50Ms: percentile(driven.latencies, 0.5),
    latencyP99Ms: percentile(driven.latencies, 0.99),
    eventLoopP99Ms: percentileOf(before, after, "turnpike_event_loop_delay_seconds", 0.99) * 1000,
    journalLagMaxMs: lag.maxMs,
    cpuMicrosPerCall: Math.round((cpuSeconds * 1e6) / driven.answered),
    residentMb: Math.round(after.value("process_resident_memory_bytes") / 1e6),
    callsInTheBooks: `${rows} of ${warmUp.answered + driven.answered}, the warm-up with them`,
    ledgerVerify: verified === 0 ? "all invariants hold" : `exit code ${verified}`,
  });
  const isWhole = rows === warmUp.answered + driven.answered;
  process.exitCode = isWhole && driven.failed === 0 && verified === 0 ? 0 : 1;
} finally {
  upstream.kill();
  folder.remove();
}

/** Sends at a steady rate, whether or not earlier calls have been answered. */
async function drive(url: string, key: string, perSecond: number, forSeconds: number) {
  const latencies: number[] = [];
  const running = new Set<Promise<void>>();
  let failed = 0;
  const callOnce = async (): Promise<void> => {
    const startedAt = performance.now();
    const response = await fetch(`${url}/v1/chat/completions`, {
      method: "POST",
      headers: { "x-gw-api-key": key, "content-type": "application/json" },
      body: BODY,
    });
    await response.arrayBuffer();
    if (response.ok) latencies.push(performance.now() - startedAt);
    else failed += 1;
  };
  const startedAt = performance.now();
  for (let sent = 0; ; ) {
    const elapsed = performance.now() - startedAt;
    if (elapsed >= forSeconds * 1000) break;
    for (const due = (elapsed * perSecond) / 1000; sent < due; sent++) {
      const one = callOnce()
        .catch(() => {
          failed += 1;
        })
        .finally(() => running.delete(one));
      running.add(one);
    }
    await Bun.sleep(STEP_MS);
  }
  await Promise.all(running);
  return { latencies, answered: latencies.length, failed, tookSeconds: (performance.now() - startedAt) / 1000 };
}

/** The oldest call that is not in the database, looked at twice a second. */
function watchLag(url: string) {
  let stopped = false;
  let maxMs = 0;
  const watching = (async () => {
    while (!stopped) {
      maxMs = Math.max(maxMs, (await readMetrics(url, MASTER)).value("turnpike_settlement_lag_seconds") * 1000);
      await Bun.sleep(500);
    }
  })();
  return {
    async stop() {
      stopped = true;
      await watching;
      return { maxMs: Math.round(maxMs) };
    },
  };
}

/** An organization with plenty of credit, and a key with a budget in a team with one. */
async function newKey(gateway: Turnpike): Promise<string> {
  const { ask, token, teamId } = await newOrganization(gateway.url, MASTER, "1000");
  const budget = { budget: 900_000_000_000, budgetWindow: "day" };
  await ask(`/api/gw/teams/${teamId}`, token, budget, "PATCH");
  const made = await ask<{ token: string }>("/api/gw/api-keys", token, { name: "bench", team_id: teamId, ...budget });
  return made.token;
}

function percentile(numbers: readonly number[], part: number): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  return Number((sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0).toFixed(2));
}

function report(figures: Readonly<Record<string, string | number>>): void {
  if (values.json) {
    console.log(JSON.stringify(figures, null, 2));
    return;
  }
  for (const [name, figure] of Object.entries(figures)) console.log(`${name.padEnd(20)} ${figure}`);
}

function configuration(address: string): string {
  const deployment = (name: string) => `
  - model_name: bench
    litellm_params:
      model: openai/bench
      api_base: ${address}/v1
      api_key: sk-${name}
      input_cost_per_token: 0.000001
      output_cost_per_token: 0.000003`;
  return `model_list:${deployment("one")}${deployment("two")}\ngeneral_settings: { log_level: error }\n`;
}
