// `npm run bench:soak -- [--minutes 10] [--per-second 100] [--json FILE] [--svg FILE]` checks that memory does not grow
// under a steady load of calls and streams of several keys. All features are on; some clients leave in mid-stream.

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
import { soakDiagramOf } from "./soak-diagram.ts";
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
  console.log(`npm run bench:soak -- [options]   check that memory does not grow under a steady load

  --minutes N       duration after the warm-up (default 10)
  --per-second N    calls offered per second; clients leave a fifth of the streams (default 100)
  --json FILE       write all measurements, for npm run bench:results
  --svg FILE        write a diagram`);
  process.exit(0);
}
const minutes = Number(values.minutes);
const perSecond = Number(values["per-second"]);
if (!(minutes > 0 && perSecond > 0)) throw new Error("--minutes and --per-second must be numbers above zero.");

const KEYS = 20;
/** Enough connections that no call waits for a free one. */
const CONNECTIONS = 500;
const LEAVE_AFTER_BYTES = 6_000;
/** In the warm-up, a process compiles, fills its pools and opens its files. */
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
    calls: Number.MAX_SAFE_INTEGER,
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
  if (values.svg) writeFileSync(values.svg, soakDiagramOf(residentMb, judgement));
  if (!judgement.good || faults > 0) process.exitCode = 1;
} finally {
  await gateway?.stop();
  upstream.stop();
}

/** Plans as many calls as streams for each key. The client leaves every fifth stream. */
function planOf(target: Running): Planned[] {
  return (target.keys ?? []).slice(0, KEYS).flatMap((key) => {
    const one: Running = { ...target, headers: () => ({ "x-gw-api-key": key }) };
    const [call, stream] = [...plannedOf(one, workloadOf("chat")), ...plannedOf(one, BRISK_STREAM)];
    if (!call || !stream) throw new Error("a plan has a call and a stream");
    const leaving = { ...stream, leaveAfterBytes: LEAVE_AFTER_BYTES };
    return [call, stream, call, stream, call, stream, call, stream, call, leaving];
  });
}
