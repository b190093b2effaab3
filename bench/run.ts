// `npm run bench -- --help`: Turnpike beside the floor and beside its peers. One run, one machine, rounds in turn.

import { writeFileSync } from "node:fs";
import { type Contender, isRunning, type Running } from "./contenders/contender.ts";
import { litellm, named, portkey } from "./contenders/peers.ts";
import { direct, floor, nginx } from "./contenders/plain.ts";
import { BARE, EVERYTHING, FULL, PLAIN, ROUTED, turnpike } from "./contenders/turnpike.ts";
import { describeMachine } from "./machine.ts";
import { measure, type Round } from "./measure.ts";
import { readOptions, USAGE } from "./options.ts";
import { pictureOf } from "./picture.ts";
import { residentBytes } from "./processes.ts";
import { type Figures, figuresOf, keyOf, tableOf } from "./report.ts";
import { startUpstream } from "./start-upstream.ts";
import { WORKLOADS, type Workload } from "./workloads.ts";

/** Calls before a contender's first round, in parts of a round: a runtime that compiles while it runs needs them. */
const WARM_UP = 1;

const options = readOptions(process.argv.slice(2));
if (options === null) console.log(USAGE);
else await bench(options);

async function bench(given: NonNullable<typeof options>): Promise<void> {
  const contenders = chosen(given);
  const workloads = WORKLOADS.filter(({ name }) => given.only.length === 0 || given.only.includes(name));
  const command = `npm run bench -- ${process.argv.slice(2).join(" ")}`.trim();
  const machine = describeMachine();
  console.log(
    `${command}\n${machine.processors}, ${machine.memoryGb} GB, ${machine.runtime}, load ${machine.loadBefore[0]}`,
  );
  const upstream = await startUpstream();
  const running = new Map<string, Running>();
  try {
    const standing = await startAll(contenders, upstream.address, running);
    const figures: Figures[] = [];
    const results = new Map<string, Round[]>();
    for (const workload of workloads) {
      await measureAll(workload, contenders, running, results, given);
      const own = contenders.flatMap((contender) => figuresOf(workload, contender, results) ?? []);
      figures.push(...own);
      console.log(tableOf(workload, own));
    }
    console.log();
    for (const { name, idleMb, startMs, absent } of standing) {
      if (absent !== null) console.log(`${name}: absent: ${absent}`);
      else if (idleMb !== null)
        console.log(
          `${name}: ${idleMb} MB idle${startMs === null ? "" : `, first answer ${startMs} ms after its start`}`,
        );
    }
    const report = {
      command,
      machine,
      contenders: contenders.map(({ name, about }) => ({ name, about })),
      standing,
      figures,
    };
    if (given.json) writeFileSync(given.json, `${JSON.stringify(report, null, 2)}\n`);
    if (given.svg)
      writeFileSync(given.svg, pictureOf(new Map(workloads.map(({ name, title }) => [name, title])), figures));
    if (figures.some((each) => each.void !== null)) process.exitCode = 1;
  } finally {
    for (const target of running.values()) await target.stop();
    upstream.stop();
  }
}

function chosen(given: NonNullable<typeof options>): Contender[] {
  const own = [direct, floor, nginx, ...[FULL, BARE, PLAIN, ROUTED, EVERYTHING].map(turnpike)];
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

async function startAll(contenders: readonly Contender[], upstream: string, running: Map<string, Running>) {
  const standing: { name: string; absent: string | null; idleMb: number | null; startMs: number | null }[] = [];
  for (const { name, start } of contenders) {
    const started = await start(upstream);
    if (!isRunning(started)) {
      console.error(`${name}: absent: ${started.absent}`);
      standing.push({ name, absent: started.absent, idleMb: null, startMs: null });
      continue;
    }
    running.set(name, started);
    // What it takes before anybody has called it more than once.
    const idleMb = started.pid === null ? null : Math.round(residentBytes(started.pid) / 1e6);
    standing.push({
      name,
      absent: null,
      idleMb,
      startMs: started.startMs === undefined ? null : Math.round(started.startMs),
    });
  }
  return standing;
}

/** Rounds in turn, each begun by another contender; the first of them warms up and counts for nothing. */
async function measureAll(
  workload: Workload,
  contenders: readonly Contender[],
  running: ReadonlyMap<string, Running>,
  results: Map<string, Round[]>,
  { rounds, share }: { readonly rounds: number; readonly share: number },
): Promise<void> {
  for (let round = 0; round <= rounds; round++) {
    for (let turn = 0; turn < contenders.length; turn++) {
      const contender = contenders[(turn + round) % contenders.length];
      const target = contender && running.get(contender.name);
      if (!contender || !target || !contender.serves(workload)) continue;
      const measured = await measure(target, workload, round === 0 ? share * WARM_UP : share);
      if (round === 0) continue;
      const key = keyOf(workload.name, contender.name);
      results.set(key, [...(results.get(key) ?? []), measured]);
      if (measured.void !== null) console.error(`${key}: void: ${measured.void}`);
    }
  }
}
