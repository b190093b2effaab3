import { fileURLToPath } from "node:url";
import type { Running } from "./contenders/contender.ts";
import type { Driven, DriveOrder } from "./load/drive.ts";
import { cpuMicros, residentBytes } from "./processes.ts";
import type { Workload } from "./workloads.ts";

/** What one round of one workload showed of one contender. */
export interface Round {
  readonly answered: number;
  /** Null where the process is not ours to look at. */
  readonly cpuMicros: number | null;
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly firstByteP50Ms: number;
  readonly firstByteP99Ms: number;
  readonly residentMb: number | null;
  /** Why the round counts for nothing. */
  readonly void: string | null;
}

export async function measure(running: Running, workload: Workload, share = 1): Promise<Round> {
  const order: DriveOrder = {
    port: running.port,
    requests: requestsOf(running, workload),
    connections: workload.connections,
    answers: Math.max(workload.connections, Math.round(workload.answers * share)),
    seconds: workload.seconds,
    perSecond: null,
    check: workload.check,
  };
  const before = running.pid === null ? 0 : cpuMicros(running.pid);
  let peak = 0;
  const watch = setInterval(() => {
    if (running.pid !== null) peak = Math.max(peak, residentBytes(running.pid));
  }, 500);
  const driven = await runLoad(order);
  clearInterval(watch);
  if (running.pid !== null) peak = Math.max(peak, residentBytes(running.pid));
  // What the call left to be written is part of what it cost.
  await Bun.sleep(running.pid === null ? 0 : 300);
  const cpu = running.pid === null ? null : cpuMicros(running.pid) - before;
  return {
    answered: driven.answered,
    cpuMicros: cpu === null || driven.answered === 0 ? null : cpu / driven.answered,
    perSecond: driven.answered / driven.seconds,
    p50Ms: percentile(driven.latencies, 0.5),
    p99Ms: percentile(driven.latencies, 0.99),
    firstByteP50Ms: percentile(driven.firstBytes, 0.5),
    firstByteP99Ms: percentile(driven.firstBytes, 0.99),
    residentMb: running.pid === null ? null : peak / 1e6,
    void: faultOf(driven),
  };
}

export async function runLoad(order: DriveOrder): Promise<Driven> {
  const file = fileURLToPath(new URL("load/main.ts", import.meta.url));
  const child = Bun.spawn([process.execPath, file], { stdin: new Blob([JSON.stringify(order)]), stdout: "pipe" });
  const text = await new Response(child.stdout).text();
  if ((await child.exited) !== 0 || text === "") throw new Error("the load generator failed");
  return JSON.parse(text) as Driven;
}

/** No number comes twice, in whichever round. */
let varied = 0;

export function requestsOf(running: Running, workload: Workload): string[] {
  const body = workload.body(running.model(workload.dialect));
  const headers = { ...running.headers(workload.dialect), "content-type": "application/json" };
  const one = (more: object, text = body) => {
    const lines = Object.entries({ host: `127.0.0.1:${running.port}`, ...headers, ...more })
      .map(([name, value]) => `${name}: ${value}\r\n`)
      .join("");
    return `POST ${workload.path} HTTP/1.1\r\n${lines}content-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`;
  };
  if (workload.vary !== undefined) {
    const begun = varied;
    varied += workload.vary;
    return Array.from({ length: workload.vary }, (_, index) => {
      return one({}, body.replace("NUMBER", String(begun + index).padStart(9, "0")));
    });
  }
  if (workload.keys === undefined) return [one({})];
  return (running.keys ?? []).slice(0, workload.keys).map((key) => one({ "x-gw-api-key": key }));
}

function faultOf({ answered, refused, wrong, broken, firstFault }: Driven): string | null {
  if (refused + wrong + broken > 0) {
    return `${refused} not answered with 2xx, ${wrong} with a wrong body, ${broken} broken off; ${firstFault ?? ""}`;
  }
  return answered === 0 ? "nothing was answered" : null;
}

export function percentile(sorted: readonly number[], part: number): number {
  return (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0) / 1000;
}
