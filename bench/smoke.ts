// `npm run bench:smoke` checks that the cost of a call, as a multiple of the bare relay, has not risen. It takes under a
// minute, and up to three when a workload is over its bound. `-- --record` writes the bounds to bench/smoke.json.

import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { type Contender, isRunning, type Running } from "./contenders/contender.ts";
import { floor } from "./contenders/plain.ts";
import { FULL, turnpike } from "./contenders/turnpike.ts";
import { isGood, judge, ratioOf, type SmokeRecord, type SmokeRound, sentenceOf } from "./judge-smoke.ts";
import { measure } from "./measure.ts";
import { stopProcessesAtExit } from "./processes.ts";
import { startUpstream } from "./start-upstream.ts";
import { type Workload, workloadOf } from "./workloads.ts";

const ROUNDS = 7;
/**
 * Other programs and the order of compilation move a whole measurement by a tenth or two. A workload over its bound is
 * measured again in new processes, and fails only if it is over it each time.
 */
const ATTEMPTS = 3;
/** Enough calls that the clock ticks of ten milliseconds are small in comparison. The floor gets more of them. */
const CALLS: Readonly<Record<string, number>> = { chat: 4_000, stream: 1_000 };
const FLOOR_SHARE = 2.5;
/** The warm-up: of the first 6,000 streams, a thousand spent up to 0.2 s on compilation. */
const WARM_SHARE = 6;
const ROUND_SECONDS = 8;
const FILE = fileURLToPath(new URL("smoke.json", import.meta.url));

const { values } = parseArgs({
  options: { record: { type: "boolean", default: false }, help: { type: "boolean", default: false } },
});
if (values.help) {
  console.log(`npm run bench:smoke               check that a call costs at most 1.25 times the recorded ratio
npm run bench:smoke -- --record   write the ratios to bench/smoke.json`);
  process.exit(0);
}

type Rounds = Record<string, SmokeRound[]>;

stopProcessesAtExit();
const upstream = await startUpstream();
try {
  if (values.record) process.exitCode = record(await attempt(Object.keys(CALLS))) ? 0 : 1;
  else process.exitCode = (await compare()) ? 0 : 1;
} finally {
  upstream.stop();
}

/** Records the ratios. Returns false, and records nothing, when a workload could not be measured. */
function record(rounds: Rounds): boolean {
  if (Object.keys(CALLS).some((name) => rounds[name] === undefined)) return false;
  const rounded = (number: number) => Number(number.toFixed(2));
  const facts = Object.entries(rounds).map(([name, each]) => {
    const { ratio = 0, low = 0, high = 0 } = ratioOf(each) ?? {};
    return [name, { ratio: rounded(ratio), low: rounded(low), high: rounded(high) }];
  });
  writeFileSync(FILE, `${JSON.stringify(Object.fromEntries(facts), null, 2)}\n`);
  console.log(`bench/smoke.json: ${facts.map(([name, fact]) => `${name} ${JSON.stringify(fact)}`).join(", ")}`);
  return true;
}

async function compare(): Promise<boolean> {
  const recorded = JSON.parse(readFileSync(FILE, "utf8")) as SmokeRecord;
  let left = [...new Set([...Object.keys(CALLS), ...Object.keys(recorded)])];
  for (let tries = 1; tries <= ATTEMPTS && left.length > 0; tries++) {
    if (tries > 1) console.log(`measured again in new processes: ${left.join(", ")}`);
    const judgements = judge(recorded, await attempt(left), left);
    for (const each of judgements) console.log(sentenceOf(each));
    left = judgements.filter((each) => !isGood(each)).map(({ workload }) => workload);
  }
  console.log(left.length === 0 ? "bench:smoke passed" : `bench:smoke FAILED: ${left.join(", ")}`);
  return left.length === 0;
}

/** Measures these workloads in new processes. Workloads with a fault are missing. */
async function attempt(names: readonly string[]): Promise<Rounds> {
  const running: Running[] = [];
  const start = async (contender: Contender): Promise<Running> => {
    const started = await contender.start(upstream.address, 1);
    if (!isRunning(started)) throw new Error(`${contender.name}: ${started.absent}`);
    running.push(started);
    return started;
  };
  try {
    return await measureRounds(names, await start(floor), await start(turnpike(FULL)));
  } finally {
    for (const target of running) await target.stop();
  }
}

/** Measures the floor and the gateway in turn. A workload ends at its first faulty response. */
async function measureRounds(names: readonly string[], below: Running, gateway: Running): Promise<Rounds> {
  const measured: Rounds = {};
  for (const name of names) {
    const calls = CALLS[name];
    if (calls === undefined) continue;
    const workload: Workload = { ...workloadOf(name), calls, seconds: ROUND_SECONDS };
    try {
      for (const target of [below, gateway]) await cost(target, workload, WARM_SHARE);
      const rounds: SmokeRound[] = [];
      while (rounds.length < ROUNDS) {
        rounds.push({ floor: await cost(below, workload, FLOOR_SHARE), own: await cost(gateway, workload) });
      }
      measured[name] = rounds;
    } catch (error) {
      console.log(`${name}: ${(error as Error).message}`);
    }
  }
  return measured;
}

async function cost(target: Running, workload: Workload, share = 1): Promise<number> {
  const {
    figures: { cpuMicros },
    void: fault,
  } = await measure(target, workload, share);
  if (fault !== null || cpuMicros === undefined) throw new Error(`no figure: ${fault}`);
  return cpuMicros;
}
