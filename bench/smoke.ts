// `npm run bench:smoke`: does a call still cost what it did, in times of what the runtime costs by itself? Under a minute.
// `-- --record` writes what is measured to bench/smoke.json, which later runs are held against.

import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { isRunning, type Running } from "./contenders/contender.ts";
import { floor } from "./contenders/plain.ts";
import { FULL, turnpike } from "./contenders/turnpike.ts";
import { isGood, judge, ratioOf, type SmokeRecord, type SmokeRound, sentenceOf } from "./judge-smoke.ts";
import { measure } from "./measure.ts";
import { startUpstream } from "./start-upstream.ts";
import { type Workload, workloadOf } from "./workloads.ts";

const ROUNDS = 7;
/** A machine that others use too may have had a bad moment: what is over at first is measured again, longer. */
const MORE_ROUNDS = 9;
/** Enough that the clock's steps of ten milliseconds are small beside what is measured; of the cheaper one more. */
const ANSWERS: Readonly<Record<string, number>> = { chat: 4_000, stream: 1_000 };
const FLOOR_SHARE = 2.5;
const ROUND_SECONDS = 5;
const FILE = fileURLToPath(new URL("smoke.json", import.meta.url));

const { values } = parseArgs({
  options: { record: { type: "boolean", default: false }, help: { type: "boolean", default: false } },
});
if (values.help) {
  console.log(`npm run bench:smoke               does a call still cost what it did? Fails over 1.25 times of what is recorded
npm run bench:smoke -- --record   writes what is measured to bench/smoke.json`);
  process.exit(0);
}
const workloads = Object.entries(ANSWERS).map(([name, answers]): Workload => {
  return { ...workloadOf(name), answers, seconds: ROUND_SECONDS };
});

type Rounds = Record<string, SmokeRound[]>;

const upstream = await startUpstream();
const running: Running[] = [];
try {
  for (const contender of [floor, turnpike(FULL)]) {
    const started = await contender.start(upstream.address, 1);
    if (!isRunning(started)) throw new Error(`${contender.name}: ${started.absent}`);
    running.push(started);
  }
  const [below, gateway] = running;
  if (!below || !gateway) throw new Error("two contenders were started");
  const rounds: Rounds = {};
  await measureRounds(workloads, ROUNDS, [below, gateway], rounds);
  if (values.record) record(rounds);
  else await compare(rounds, [below, gateway]);
} finally {
  for (const target of running) await target.stop();
  upstream.stop();
}

function record(rounds: Rounds): void {
  const rounded = (number: number) => Number(number.toFixed(2));
  const facts = Object.entries(rounds).map(([name, each]) => {
    const { ratio = 0, low = 0, high = 0 } = ratioOf(each) ?? {};
    return [name, { ratio: rounded(ratio), low: rounded(low), high: rounded(high) }];
  });
  writeFileSync(FILE, `${JSON.stringify(Object.fromEntries(facts), null, 2)}\n`);
  console.log(`bench/smoke.json: ${facts.map(([name, fact]) => `${name} ${JSON.stringify(fact)}`).join(", ")}`);
}

async function compare(rounds: Rounds, pair: readonly [Running, Running]): Promise<void> {
  const recorded = JSON.parse(readFileSync(FILE, "utf8")) as SmokeRecord;
  const over = judge(recorded, rounds).filter(({ verdict }) => verdict === "over");
  if (over.length > 0) {
    console.log(`over at first, measured again: ${over.map(sentenceOf).join("; ")}`);
    const again = workloads.filter(({ name }) => over.some(({ workload }) => workload === name));
    await measureRounds(again, MORE_ROUNDS, pair, rounds);
  }
  const judgements = judge(recorded, rounds);
  for (const each of judgements) console.log(sentenceOf(each));
  const good = judgements.every(isGood);
  console.log(good ? "bench:smoke passed" : "bench:smoke FAILED");
  process.exitCode = good ? 0 : 1;
}

/** The floor and the gateway in turn, after a round that warms both up. */
async function measureRounds(
  chosen: readonly Workload[],
  count: number,
  pair: readonly [Running, Running],
  rounds: Rounds,
): Promise<void> {
  for (const workload of chosen) {
    for (let round = 0; round <= count; round++) {
      const both = { floor: await cost(pair[0], workload, FLOOR_SHARE), own: await cost(pair[1], workload) };
      if (round > 0) rounds[workload.name] = [...(rounds[workload.name] ?? []), both];
    }
  }
}

async function cost(target: Running, workload: Workload, share = 1): Promise<number> {
  const {
    figures: { cpuMicros },
    void: fault,
  } = await measure(target, workload, share);
  if (fault !== null || cpuMicros === undefined) throw new Error(`${workload.name}: nothing to go by: ${fault}`);
  return cpuMicros;
}
