// `npm run bench -- [--rounds 3] [--only chat,stream] [--share 1] [--peers portkey,litellm] [--peer NAME=URL ...] [--json FILE] [--svg FILE]`
// Turnpike beside the floor and beside its peers: one run, one machine, rounds in turn.

import { parseArgs } from "node:util";
import { type Contender, isRunning, type Running } from "./contenders/contender.ts";
import { direct, floor, nginx } from "./contenders/plain.ts";
import { BARE, EVERYTHING, FULL, PLAIN, ROUTED, turnpike } from "./contenders/turnpike.ts";
import { measure, type Round } from "./measure.ts";
import { residentBytes } from "./processes.ts";
import { startUpstream } from "./start-upstream.ts";
import { table } from "./table.ts";
import { WORKLOADS } from "./workloads.ts";

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "3" },
    only: { type: "string", default: "" },
    share: { type: "string", default: "1" },
    contenders: { type: "string", default: "" },
  },
});
const rounds = Number(values.rounds);
const share = Number(values.share);
const workloads = WORKLOADS.filter(({ name }) => values.only === "" || values.only.split(",").includes(name));
const known: readonly Contender[] = [direct, floor, nginx, ...[FULL, BARE, PLAIN, ROUTED, EVERYTHING].map(turnpike)];
const chosen =
  values.contenders === "" ? ["direct", "floor", "nginx", FULL.name, BARE.name] : values.contenders.split(",");
const contenders = known.filter(({ name }) => chosen.includes(name));

const upstream = await startUpstream();
const running = new Map<string, Running>();
const results = new Map<string, Round[]>();
try {
  for (const contender of contenders) {
    const started = await contender.start(upstream.address);
    if (isRunning(started)) running.set(contender.name, started);
    else console.error(`${contender.name}: absent, ${started.absent}`);
  }
  const idle = new Map(
    [...running].map(([name, { pid }]) => [name, pid === null ? null : residentBytes(pid) / 1e6] as const),
  );
  for (const workload of workloads) {
    for (let round = -1; round < rounds; round++) {
      // Another one begins each round; the first round warms up and counts for nothing.
      const order = contenders.toSpliced(0, 0).sort((a, b) => rank(a, round) - rank(b, round));
      for (const contender of order) {
        const target = running.get(contender.name);
        if (!target || !contender.serves(workload)) continue;
        const measured = await measure(target, workload, round < 0 ? share / 4 : share);
        if (round < 0) continue;
        const key = `${workload.name}/${contender.name}`;
        results.set(key, [...(results.get(key) ?? []), measured]);
        if (measured.void !== null) console.error(`${key}: void: ${measured.void}`);
      }
    }
    console.log(table(workload, contenders, results));
  }
  for (const [name, mb] of idle) {
    const start = running.get(name)?.startMs;
    if (mb !== null)
      console.log(
        `${name}: ${mb.toFixed(0)} MB idle${start === undefined ? "" : `, first answer ${start.toFixed(0)} ms after its start`}`,
      );
  }
} finally {
  for (const target of running.values()) await target.stop();
  upstream.stop();
}

function rank(contender: Contender, round: number): number {
  const index = contenders.indexOf(contender);
  return (index + round + 1) % contenders.length;
}
