// `npm run bench -- --help`: compares Turnpike with a bare relay and with its peers, in one run on one machine.

import { writeFileSync } from "node:fs";
import { basename } from "node:path";
import { type Contender, isRunning, type Running } from "./contenders/contender.ts";
import { peerContender } from "./contenders/peers.ts";
import { direct, floor, least } from "./contenders/plain.ts";
import { BARE, EVERYTHING, FULL, PLAIN, ROUTED, turnpike, WORKERS } from "./contenders/turnpike.ts";
import { GOALS_HEAD, goalCellsOf } from "./goals.ts";
import { describeMachine } from "./machine.ts";
import { measure } from "./measure.ts";
import { type BenchOptions, parseOptions, USAGE } from "./options.ts";
import { readPeersFile } from "./peers-file.ts";
import { stopProcessesAtExit } from "./processes.ts";
import {
  aligned,
  type ContenderStart,
  type Report,
  Results,
  type Row,
  rowOf,
  startTableOf,
  tableOf,
} from "./report.ts";
import { startUpstream } from "./start-upstream.ts";
import { spreadOf } from "./statistics.ts";
import { WORKLOADS, type Workload, workloadOf } from "./workloads.ts";

const options = parseOptions(process.argv.slice(2));
if (options === null) console.log(USAGE);
else await bench(options);

async function bench(given: BenchOptions): Promise<void> {
  const contenders = selectContenders(given);
  const workloads = selectWorkloads(given);
  const command = describeCommand(process.argv.slice(2));
  const machine = describeMachine();
  console.log(
    `${command}\n${machine.processors}, ${machine.memoryGb} GB, ${machine.runtime}, load ${machine.loadBefore[0]}`,
  );
  stopProcessesAtExit();
  const upstream = await startUpstream();
  const run: Run = { given, contenders, upstream: upstream.address, running: new Map(), results: new Results() };
  try {
    const starts = await startAll(run);
    console.log(startTableOf(starts));
    const rows: Row[] = [];
    for (const workload of workloads) {
      await measureAll(workload, run);
      const measured = contenders.flatMap(({ name }) => rowOf(workload, name, run.results) ?? []);
      rows.push(...measured);
      console.log(tableOf(workload, measured));
    }
    const report: Report = {
      command,
      machine,
      contenders: contenders.map(({ name, about }) => ({ name, about })),
      workloads: workloads.map(({ name, title, shows }) => ({ name, title, shows })),
      starts,
      rows,
    };
    console.log(`\ntargets\n${aligned([GOALS_HEAD, ...goalCellsOf(report)])}`);
    if (given.json) writeFileSync(given.json, `${JSON.stringify(report, null, 2)}\n`);
    if (rows.some((each) => each.void !== null)) process.exitCode = 1;
  } finally {
    await Promise.all([...run.running.values()].map((target) => target.stop()));
    upstream.stop();
  }
}

interface Run {
  readonly given: BenchOptions;
  readonly contenders: readonly Contender[];
  readonly upstream: string;
  readonly running: Map<string, Running>;
  readonly results: Results;
}

/** The command for the report, without the folders of this machine. */
function describeCommand(args: readonly string[]): string {
  const shown = args.map((arg, index) => (/^--(json|peers-file)$/.test(args[index - 1] ?? "") ? basename(arg) : arg));
  return `npm run bench -- ${shown.join(" ")}`.trim();
}

/** The selected workloads, and those that they are compared with. */
function selectWorkloads({ only, roundSeconds }: BenchOptions): Workload[] {
  const selected = only.length === 0 ? WORKLOADS : only.map(workloadOf);
  const needed = new Set(selected.flatMap(({ name, floor: below, longerThan }) => [name, below, longerThan?.workload]));
  return WORKLOADS.filter(({ name }) => needed.has(name)).map((workload) => ({
    ...workload,
    seconds: Math.min(workload.seconds, roundSeconds ?? workload.seconds),
  }));
}

function selectContenders({ contenders, peersFile }: BenchOptions): Contender[] {
  const own = [direct, floor, least, ...[FULL, BARE, WORKERS, PLAIN, ROUTED, EVERYTHING].map(turnpike)];
  const names = own.map(({ name }) => name);
  const selected = contenders.map((name) => {
    const found = own.find((contender) => contender.name === name);
    if (!found) throw new Error(`Unknown contender ${name}. The contenders are ${names.join(", ")}.`);
    return found;
  });
  const peers = peersFile === null ? [] : readPeersFile(peersFile).map(peerContender);
  const taken = peers.find(({ name }) => names.includes(name));
  if (taken) throw new Error(`The peer ${taken.name} must not have the name of a contender of the benchmark.`);
  return [...selected, ...peers];
}

async function startAll({ contenders, upstream, running, given }: Run): Promise<ContenderStart[]> {
  const all: ContenderStart[] = [];
  for (const { name, start } of contenders) {
    const started = await start(upstream, given.starts);
    if (!isRunning(started)) {
      console.error(`${name}: absent: ${started.absent}${started.log ? `\n${started.log}` : ""}`);
      all.push({ name, absent: started.absent, idleMb: null, startMs: null });
      continue;
    }
    running.set(name, started);
    const starts = started.starts ?? [];
    const [idleMb, startMs] = [spreadOf(starts.map((each) => each.idleMb)), spreadOf(starts.map(({ ms }) => ms))];
    all.push({ name, absent: null, idleMb, startMs });
  }
  return all;
}

async function restart(contender: Contender, { upstream, running }: Run): Promise<void> {
  const before = running.get(contender.name);
  if (!before) return;
  running.delete(contender.name);
  await before.stop();
  const started = await contender.start(upstream, 1);
  if (isRunning(started)) running.set(contender.name, started);
  else console.error(`${contender.name}: did not start again: ${started.absent}`);
}

/**
 * Measures a workload in interleaved rounds; each round begins with another contender. Warm-up rounds do not count.
 * A contender with a void round is restarted and gets no further round of the workload: unfinished work must not
 * disturb the next rounds.
 */
async function measureAll(workload: Workload, run: Run): Promise<void> {
  const { contenders, running, results, given } = run;
  const able = contenders.filter((contender) => running.has(contender.name) && contender.serves(workload));
  if (workload.fresh) for (const contender of able) await restart(contender, run);
  const voided = new Set<string>();
  // A paced workload needs no further compiled code, and fresh processes must stay fresh.
  const warmUp = workload.fresh || workload.perSecond !== undefined ? 1 : given.warmUp;
  for (let round = 1 - warmUp; round <= given.rounds; round++) {
    const counts = round > 0;
    for (let turn = 0; turn < able.length; turn++) {
      const contender = able[(turn + round + warmUp) % able.length];
      const target = contender && running.get(contender.name);
      if (!contender || !target || voided.has(contender.name)) continue;
      const measured = await measure(target, workload, counts ? given.share : given.warmUpShare);
      if (counts || measured.void !== null) results.add(workload.name, contender.name, measured);
      if (measured.void === null) continue;
      console.error(`${workload.name}/${contender.name}: void: ${measured.void}`);
      voided.add(contender.name);
      await restart(contender, run);
    }
  }
}
