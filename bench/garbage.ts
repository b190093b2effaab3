// `npm run bench:garbage -- [--only chat,stream] [--json]`: what a call leaves to be collected, whoever else uses the machine.
// The processes never collect, so that what they take is what their calls have left. With collections off, the path of a small
// chat took 42 µs in place of 60, without its network.

import { parseArgs } from "node:util";
import { type Contender, isRunning, type Running } from "./contenders/contender.ts";
import { floor } from "./contenders/plain.ts";
import { FULL, turnpike } from "./contenders/turnpike.ts";
import { runLoad } from "./measure.ts";
import { plannedOf } from "./plan.ts";
import { residentBytes, stopProcessesAtExit } from "./processes.ts";
import { startUpstream } from "./start-upstream.ts";
import { spreadOf } from "./statistics.ts";
import { type Workload, workloadOf } from "./workloads.ts";

const NO_COLLECTIONS = { BUN_JSC_useGC: "0", BUN_GC_TIMER_DISABLE: "1" };
const ROUNDS = 3;
const ROUND_SECONDS = 60;
/** Compiled code leaves less behind: so much is compiled before anything counts. */
const WARM_SHARE = 1.5;
/** Of the batch that is settled after the last call. */
const SETTLED_MS = 1_000;

const { values } = parseArgs({
  options: {
    only: { type: "string", default: "chat,stream" },
    json: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});
if (values.help) {
  console.log(`npm run bench:garbage                            kB that a small chat and a stream leave to be collected
npm run bench:garbage -- --only anthropic,gemini  other workloads of \`npm run bench\`
npm run bench:garbage -- --json                   as JSON`);
  process.exit(0);
}

interface Row {
  readonly workload: string;
  readonly contender: string;
  readonly kb: number;
  readonly low: number;
  readonly high: number;
}

Object.assign(process.env, NO_COLLECTIONS);
const contenders = [floor, turnpike({ ...FULL, env: NO_COLLECTIONS })];
stopProcessesAtExit();
const upstream = await startUpstream();
try {
  const rows: Row[] = [];
  for (const name of values.only.split(",")) {
    for (const contender of contenders) rows.push(...(await left(contender, workloadOf(name))));
  }
  if (values.json) console.log(JSON.stringify(rows, null, 2));
  else for (const row of rows) console.log(lineOf(row));
} finally {
  upstream.stop();
}

/** None where the contender does not serve the workload. A process for each: what one leaves is another's address space. */
async function left(contender: Contender, workload: Workload): Promise<Row[]> {
  if (!contender.serves(workload)) return [];
  const running = await contender.start(upstream.address, 1);
  if (!isRunning(running)) throw new Error(`${contender.name} is absent: ${running.absent}`);
  try {
    const perRound = Math.ceil(workload.calls / 2);
    await load(running, workload, Math.ceil(workload.calls * WARM_SHARE));
    const kilobytes: number[] = [];
    for (let round = 0; round < ROUNDS; round++) kilobytes.push(await load(running, workload, perRound));
    const { median: kb = 0, low = 0, high = 0 } = spreadOf(kilobytes) ?? {};
    return [{ workload: workload.name, contender: contender.name, kb, low, high }];
  } finally {
    await running.stop();
  }
}

/** In kB for each answer. */
async function load(running: Running, workload: Workload, calls: number): Promise<number> {
  const { port, pid } = running;
  if (pid === null) throw new Error("there is no process to look at");
  const before = residentBytes(pid);
  const requests = plannedOf(running, workload);
  const { connections } = workload;
  const driven = await runLoad({ port, requests, connections, calls, seconds: ROUND_SECONDS, perSecond: null });
  if (driven.refused + driven.wrong + driven.broken > 0) throw new Error(driven.firstFault ?? "not all were answered");
  await Bun.sleep(SETTLED_MS);
  return (residentBytes(pid) - before) / 1024 / driven.answered;
}

function lineOf({ workload, contender, kb, low, high }: Row): string {
  const spread = `(${low.toFixed(1)} to ${high.toFixed(1)})`;
  return `${workload.padEnd(18)} ${contender.padEnd(10)} ${kb.toFixed(1).padStart(7)} kB a call ${spread}`;
}
