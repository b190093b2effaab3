// `npm run bench:soak -- [--minutes 10] [--per-second 100] [--json FILE] [--svg FILE]`: does memory grow under a steady load?
// Calls and streams of several keys, everything on; a fifth of the clients leave in mid-stream.

import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { isRunning, type Running } from "./contenders/contender.ts";
import { FULL, turnpike } from "./contenders/turnpike.ts";
import { judgeSoak, type SoakReport, soakSentenceOf } from "./judge-soak.ts";
import type { Planned } from "./load/drive.ts";
import { describeMachine } from "./machine.ts";
import { runLoad } from "./measure.ts";
import { plannedOf } from "./plan.ts";
import { residentBytes, stopProcessesAtExit } from "./processes.ts";
import { soakPictureOf } from "./soak-picture.ts";
import { startUpstream } from "./start-upstream.ts";
import { BRISK_STREAM, workloadOf } from "./workloads.ts";

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "10" },
    "per-second": { type: "string", default: "100" },
    json: { type: "string" },
    svg: { type: "string" },
    help: { type: "boolean", default: false },
  },
});
if (values.help) {
  console.log(`npm run bench:soak -- [options]   does memory grow under a steady load?

  --minutes N       how long, after a warm-up (10)
  --per-second N    calls offered; a fifth of the streams are left by their clients (100)
  --json FILE       everything that was measured, for npm run bench:results
  --svg FILE        a picture of it`);
  process.exit(0);
}
const minutes = Number(values.minutes);
const perSecond = Number(values["per-second"]);
if (!(minutes > 0 && perSecond > 0)) throw new Error("--minutes and --per-second want numbers above zero");

const KEYS = 20;
/** Enough that a slow moment keeps nobody waiting for a connection. */
const CONNECTIONS = 500;
const LEAVE_AFTER_BYTES = 6_000;
/** Until then a process compiles, fills its pools and opens its files. */
const warmUpSeconds = Math.min(120, Math.max(30, minutes * 12));
const seconds = warmUpSeconds + minutes * 60;
const command = `npm run bench:soak -- --minutes ${minutes} --per-second ${perSecond}`;
const machine = describeMachine();

console.log(
  `${command}\n${machine.processors}, ${machine.memoryGb} GB, ${machine.runtime}, load ${machine.loadBefore[0]}`,
);
stopProcessesAtExit();
const upstream = await startUpstream();
let gateway: Running | null = null;
try {
  const started = await turnpike(FULL).start(upstream.address, 1);
  if (!isRunning(started)) throw new Error(started.absent);
  gateway = started;
  const { pid } = started;
  const residentMb: number[] = [];
  const begun = performance.now();
  const timer = setInterval(() => {
    if (pid !== null && performance.now() - begun > warmUpSeconds * 1000) residentMb.push(residentBytes(pid) / 1e6);
  }, 1_000);
  const driven = await runLoad({
    port: started.port,
    requests: planOf(started),
    connections: CONNECTIONS,
    answers: Number.MAX_SAFE_INTEGER,
    seconds,
    perSecond,
  });
  clearInterval(timer);
  const judgement = judgeSoak(residentMb);
  const { answered, left, refused, wrong, broken, firstFault } = driven;
  const faults = refused + wrong + broken;
  const sentence = soakSentenceOf(judgement);
  console.log(
    `${answered} answered, ${left} left in mid-stream, ${faults} faults${firstFault ? `: ${firstFault}` : ""}`,
  );
  console.log(sentence);
  const report: SoakReport = {
    command,
    machine,
    warmUpSeconds,
    answered,
    left,
    faults,
    sentence,
    ...judgement,
    residentMb,
  };
  if (values.json) writeFileSync(values.json, `${JSON.stringify(report)}\n`);
  if (values.svg) writeFileSync(values.svg, soakPictureOf(residentMb, judgement));
  if (!judgement.good || faults > 0) process.exitCode = 1;
} finally {
  await gateway?.stop();
  upstream.stop();
}

/** Half calls, half streams of a second; of these every fifth is left. Each key has its share of every kind. */
function planOf(target: Running): Planned[] {
  return (target.keys ?? []).slice(0, KEYS).flatMap((key) => {
    const one: Running = { ...target, headers: () => ({ "x-gw-api-key": key }) };
    const [call, stream] = [...plannedOf(one, workloadOf("chat")), ...plannedOf(one, BRISK_STREAM)];
    if (!call || !stream) throw new Error("a plan has a call and a stream");
    const leaving = { ...stream, leaveAfterBytes: LEAVE_AFTER_BYTES };
    return [call, stream, call, stream, call, stream, call, stream, call, leaving];
  });
}
