// `npm run bench -- --help`: Turnpike beside the floor and beside its peers. One run, one machine, rounds in turn.

import { writeFileSync } from "node:fs";
import { type Contender, isRunning, type Running } from "./contenders/contender.ts";
import { litellm, named, portkey } from "./contenders/peers.ts";
import { direct, floor, least, nginx } from "./contenders/plain.ts";
import { BARE, EVERYTHING, FULL, PLAIN, ROUTED, turnpike, WORKERS } from "./contenders/turnpike.ts";
import { GOALS_HEAD, goalCellsOf } from "./goals.ts";
import { describeMachine } from "./machine.ts";
import { measure } from "./measure.ts";
import { readOptions, USAGE } from "./options.ts";
import { pictureOf } from "./picture.ts";
import { aligned, type Report, Results, type Row, rowOf, type Standing, standingTableOf, tableOf } from "./report.ts";
import { startUpstream } from "./start-upstream.ts";
import { spreadOf } from "./statistics.ts";
import { WORKLOADS, type Workload, workloadOf } from "./workloads.ts";

const STARTS = 5;

const options = readOptions(process.argv.slice(2));
if (options === null) console.log(USAGE);
else await bench(options);

async function bench(given: NonNullable<typeof options>): Promise<void> {
  const contenders = chosen(given);
  const workloads = chosenWorkloads(given.only);
  // Where it is written to is nobody's business but the caller's.
  const isPath = (arg = "") => /^--(json|svg)/.test(arg);
  const args = process.argv
    .slice(2)
    .filter((arg, index, all) => !isPath(arg) && !/^--(json|svg)$/.test(all[index - 1] ?? ""));
  const command = `npm run bench -- ${args.join(" ")}`.trim();
  const machine = describeMachine();
  console.log(
    `${command}\n${machine.processors}, ${machine.memoryGb} GB, ${machine.runtime}, load ${machine.loadBefore[0]}`,
  );
  const upstream = await startUpstream();
  const running = new Map<string, Running>();
  try {
    const standing = await startAll(contenders, upstream.address, running);
    console.log(standingTableOf(standing));
    const results = new Results();
    const rows: Row[] = [];
    for (const workload of workloads) {
      await measureAll(workload, contenders, { upstream: upstream.address, running, results }, given);
      const own = contenders.flatMap(({ name }) => rowOf(workload, name, results) ?? []);
      rows.push(...own);
      console.log(tableOf(workload, own));
    }
    const report: Report = {
      command,
      machine,
      contenders: contenders.map(({ name, about }) => ({ name, about })),
      workloads: workloads.map(({ name, title, shows }) => ({ name, title, shows })),
      standing,
      rows,
    };
    console.log(`\nwhat Turnpike is meant to reach\n${aligned([GOALS_HEAD, ...goalCellsOf(report)])}`);
    if (given.json) writeFileSync(given.json, `${JSON.stringify(report, null, 2)}\n`);
    if (given.svg) writeFileSync(given.svg, pictureOf(report));
    if (rows.some((each) => each.void !== null)) process.exitCode = 1;
  } finally {
    for (const target of running.values()) await target.stop();
    upstream.stop();
  }
}

/** With those that the chosen ones are held against. */
function chosenWorkloads(names: readonly string[]): Workload[] {
  const wanted = names.length === 0 ? WORKLOADS : names.map(workloadOf);
  const needed = new Set(wanted.flatMap(({ name, floor: below, longerThan }) => [name, below, longerThan?.workload]));
  return WORKLOADS.filter(({ name }) => needed.has(name));
}

function chosen(given: NonNullable<typeof options>): Contender[] {
  const own = [direct, floor, least, nginx, ...[FULL, BARE, WORKERS, PLAIN, ROUTED, EVERYTHING].map(turnpike)];
  const peers = [portkey, litellm];
  const pick = (all: readonly Contender[], names: readonly string[]) =>
    names.map((name) => {
      const found = all.find((contender) => contender.name === name);
      if (!found)
        throw new Error(`there is no contender called ${name}; there are ${all.map((each) => each.name).join(", ")}`);
      return found;
    });
  const { peerModel: model, peerHeaders: headers, peerPid: pid } = given;
  const others = given.others.map(({ name, address }) => named(name, address, { model, headers, pid }));
  return [...pick(own, given.contenders), ...pick(peers, given.peers), ...others];
}

async function startAll(
  contenders: readonly Contender[],
  upstream: string,
  running: Map<string, Running>,
): Promise<Standing[]> {
  const standing: Standing[] = [];
  for (const { name, start } of contenders) {
    const started = await start(upstream, STARTS);
    if (!isRunning(started)) {
      console.error(`${name}: absent: ${started.absent}`);
      standing.push({ name, absent: started.absent, idleMb: null, startMs: null });
      continue;
    }
    running.set(name, started);
    const starts = started.starts ?? [];
    const [idleMb, startMs] = [spreadOf(starts.map((each) => each.idleMb)), spreadOf(starts.map(({ ms }) => ms))];
    standing.push({ name, absent: null, idleMb, startMs });
  }
  return standing;
}

async function startAgain(contender: Contender, upstream: string, running: Map<string, Running>): Promise<void> {
  const before = running.get(contender.name);
  if (!before) return;
  running.delete(contender.name);
  await before.stop();
  const started = await contender.start(upstream, 1);
  if (isRunning(started)) running.set(contender.name, started);
  else console.error(`${contender.name}: did not start again: ${started.absent}`);
}

/**
 * Rounds in turn, each begun by another contender; the first of them, always whole ones, warm up and count for nothing: the
 * second 8,000 small chats after a start have 80 µs of compiling in each call, the fourth 10. Who has a void round has no further
 * one of this workload, and is started anew: what it still works on, or that it is gone, must not spoil the next.
 */
async function measureAll(
  workload: Workload,
  contenders: readonly Contender[],
  { upstream, running, results }: Field,
  { rounds, warmUp, share }: { readonly rounds: number; readonly warmUp: number; readonly share: number },
): Promise<void> {
  const able = contenders.filter((contender) => running.has(contender.name) && contender.serves(workload));
  if (workload.fresh) for (const contender of able) await startAgain(contender, upstream, running);
  const out = new Set<string>();
  // What is offered at a pace, or anew, is a matter of seconds and of memory: others have warmed it up, or nothing shall.
  const before = workload.fresh || workload.perSecond !== undefined ? 1 : warmUp;
  for (let round = 1 - before; round <= rounds; round++) {
    const counts = round > 0;
    for (let turn = 0; turn < able.length; turn++) {
      const contender = able[(turn + round + before) % able.length];
      const target = contender && running.get(contender.name);
      if (!contender || !target || out.has(contender.name)) continue;
      const measured = await measure(target, workload, counts ? share : Math.max(1, share));
      if (counts || measured.void !== null) results.add(workload.name, contender.name, measured);
      if (measured.void === null) continue;
      console.error(`${workload.name}/${contender.name}: void: ${measured.void}`);
      out.add(contender.name);
      await startAgain(contender, upstream, running);
    }
  }
}

interface Field {
  readonly upstream: string;
  readonly running: Map<string, Running>;
  readonly results: Results;
}
