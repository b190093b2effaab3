// `npm run bench:failover -- [--rate 100] [--seconds 10] [--json]`: one of two deployments is in trouble; what do callers see?
// The real program with its defaults, but for a time limit of two seconds to the first byte; two upstreams of its own.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { newFolder, startTurnpike } from "../test/e2e/process.ts";
import { type Mood, Moody, status, WELL } from "../test/upstreams/moody.ts";

const { values } = parseArgs({
  options: {
    rate: { type: "string", default: "100" },
    seconds: { type: "string", default: "10" },
    json: { type: "boolean", default: false },
  },
});
const rate = Number(values.rate);
const seconds = Number(values.seconds);
const MASTER = "sk-master-key-of-the-failover-bench";
const TIMEOUT_SECONDS = 2;

interface Row {
  readonly scenario: string;
  readonly calls: number;
  readonly errors: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly longestMs: number;
  /** Of all attempts, how many went to the one in trouble. */
  readonly attemptsAtTheSick: number;
}

const SCENARIOS: readonly (readonly [name: string, mood: Mood, dead: boolean])[] = [
  ["both are well", WELL, false],
  ["one answers 500", status(500), false],
  ["one answers 429", status(429, { retryAfter: "2" }), false],
  ["one is slow: 1 s", { kind: "slow", ms: 1_000 }, false],
  ["one hangs", { kind: "hang" }, false],
  ["one is dead: nothing listens", WELL, true],
];

const rows: Row[] = [];
for (const [scenario, mood, dead] of SCENARIOS) rows.push(await play(scenario, mood, dead));
if (values.json) console.log(JSON.stringify({ rate, seconds, timeoutSeconds: TIMEOUT_SECONDS, rows }, null, 2));
else {
  console.log(`npm run bench:failover -- --rate ${rate} --seconds ${seconds}`);
  console.log(
    "\n| One of two deployments | calls | errors | p50 ms | p99 ms | longest ms | attempts at the sick one |",
  );
  console.log("|---|---:|---:|---:|---:|---:|---:|");
  for (const row of rows) {
    const figures = [row.calls, row.errors, row.p50Ms, row.p99Ms, row.longestMs, row.attemptsAtTheSick];
    console.log(`| ${row.scenario} | ${figures.join(" | ")} |`);
  }
}

async function play(scenario: string, mood: Mood, dead: boolean): Promise<Row> {
  const [sick, well] = [new Moody("sick"), new Moody("well")];
  const folder = newFolder();
  const entry = ({ address }: Moody, id: string) => ({
    model_name: "pair",
    litellm_params: { model: "hosted_vllm/m", api_base: address },
    model_info: { id, free: true },
  });
  const configuration = {
    model_list: [entry(sick, "sick"), entry(well, "well")],
    router_settings: { timeout: TIMEOUT_SECONDS, stream_timeout: TIMEOUT_SECONDS },
    general_settings: { log_level: "error" },
  };
  writeFileSync(join(folder.path, "turnpike.yaml"), JSON.stringify(configuration));
  const gateway = await startTurnpike(folder.path, { TURNPIKE_MASTER_KEY: MASTER });
  try {
    await drive(gateway.url, Math.min(rate, 50), 2);
    sick.mood = mood;
    sick.calls = 0;
    if (dead) await sick.stop();
    const { latencies, errors } = await drive(gateway.url, rate, seconds);
    const sorted = latencies.toSorted((a, b) => a - b);
    const at = (part: number) =>
      Number((sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0).toFixed(1));
    return {
      scenario,
      calls: latencies.length + errors,
      errors,
      p50Ms: at(0.5),
      p99Ms: at(0.99),
      longestMs: at(1),
      attemptsAtTheSick: sick.calls,
    };
  } finally {
    gateway.kill("SIGTERM");
    await gateway.exited;
    await Promise.all([dead ? undefined : sick.stop(), well.stop()]);
    folder.remove();
  }
}

/** At a steady rate, half of them streamed, whether or not earlier calls have been answered. */
async function drive(
  url: string,
  perSecond: number,
  forSeconds: number,
): Promise<{ latencies: number[]; errors: number }> {
  const latencies: number[] = [];
  const running: Promise<void>[] = [];
  let errors = 0;
  const ask = async (stream: boolean): Promise<void> => {
    const begun = performance.now();
    const response = await fetch(`${url}/v1/chat/completions`, {
      method: "POST",
      headers: { "x-gw-api-key": MASTER, "content-type": "application/json" },
      body: JSON.stringify({ model: "pair", stream, messages: [{ role: "user", content: "who?" }] }),
    });
    const text = await response.text();
    if (response.ok && (!stream || text.includes("[DONE]"))) latencies.push(performance.now() - begun);
    else errors++;
  };
  const begun = performance.now();
  for (let sent = 0; sent < perSecond * forSeconds; sent++) {
    const dueMs = (sent / perSecond) * 1000;
    const early = dueMs - (performance.now() - begun);
    if (early > 0) await Bun.sleep(early);
    running.push(ask(sent % 2 === 0).catch(() => void errors++));
  }
  await Promise.all(running);
  return { latencies, errors };
}
