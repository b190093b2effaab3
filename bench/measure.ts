import { fileURLToPath } from "node:url";
import type { Running } from "./contenders/contender.ts";
import type { FigureName } from "./figures.ts";
import type { Driven, DriveOrder } from "./load/drive.ts";
import { plannedOf } from "./plan.ts";
import { cpuMicros, residentBytes } from "./processes.ts";
import type { Workload } from "./workloads.ts";

/** Figures of one contender in one round of a workload. Figures that cannot be measured are missing. */
export interface Round {
  readonly figures: Readonly<Partial<Record<FigureName, number>>>;
  /** The reason that the round does not count. */
  readonly void: string | null;
}

/** The shortest round that a share leaves: a slow gateway completes three calls per second. */
const ROUND_SECONDS_MIN = 8;
const WATCH_MS = 250;
const QUIET_MS = 200;
const QUIET_SHARE = 0.1;
const QUIET_TRIES = 300;
/** Writes that follow the calls are part of their cost. */
const AFTERMATH_MS = 300;

export async function measure(running: Running, workload: Workload, share = 1): Promise<Round> {
  const { connections, calls, seconds, perSecond = null } = workload;
  const order: DriveOrder = {
    port: running.port,
    requests: plannedOf(running, workload),
    connections,
    calls: Math.max(connections, Math.round(calls * share)),
    seconds:
      workload.chunks === undefined
        ? Math.min(seconds, Math.max(ROUND_SECONDS_MIN, seconds * Math.min(1, share)))
        : seconds,
    perSecond,
  };
  if (running.pid !== null) await quiet(running.pid);
  const watch = running.pid === null ? null : watchProcess(running.pid);
  const ping = workload.pinged && running.pingPath ? startPing(running.port, running.pingPath) : null;
  const driven = await runLoad(order);
  const waits = await ping?.stop();
  const used = await watch?.stop();
  const { answered, latencies, firstBytes } = driven;
  const cpu = used && answered > 0 ? used.cpuMicros / answered : undefined;
  return {
    figures: present({
      cpuMicros: cpu,
      chunkMicros: cpu === undefined || !workload.chunks ? undefined : cpu / workload.chunks,
      perSecond: answered / driven.seconds,
      p50Ms: percentile(latencies, 0.5) / 1000,
      p99Ms: percentile(latencies, 0.99) / 1000,
      firstByteP50Ms: percentile(firstBytes, 0.5) / 1000,
      firstByteP99Ms: percentile(firstBytes, 0.99) / 1000,
      stallP50Ms: waits && percentile(waits.waitsMs, 0.5),
      stallP99Ms: waits && percentile(waits.waitsMs, 0.99),
      stallMs: waits?.waitsMs.at(-1),
      residentBeforeMb: used && used.residentBefore / 1e6,
      residentMb: used && used.residentPeak / 1e6,
    }),
    void: faultOf(driven, order) ?? waits?.fault ?? null,
  };
}

export async function runLoad(order: DriveOrder): Promise<Driven> {
  const file = fileURLToPath(new URL("load/main.ts", import.meta.url));
  const child = Bun.spawn([process.execPath, file], { stdin: new Blob([JSON.stringify(order)]), stdout: "pipe" });
  const text = await new Response(child.stdout).text();
  if ((await child.exited) !== 0 || text === "") throw new Error("The load generator failed.");
  return JSON.parse(text) as Driven;
}

/** Waits until a process has finished the work of an earlier round: some gateways continue abandoned calls for long. */
async function quiet(pid: number): Promise<void> {
  for (let left = QUIET_TRIES; left > 0; left--) {
    const before = cpuMicros(pid);
    await Bun.sleep(QUIET_MS);
    if (cpuMicros(pid) - before < QUIET_MS * 1000 * QUIET_SHARE) return;
  }
}

function watchProcess(pid: number) {
  const residentBefore = residentBytes(pid);
  const before = cpuMicros(pid);
  let residentPeak = residentBefore;
  const look = () => {
    residentPeak = Math.max(residentPeak, residentBytes(pid));
  };
  const timer = setInterval(look, WATCH_MS);
  return {
    async stop() {
      clearInterval(timer);
      look();
      await Bun.sleep(AFTERMATH_MS);
      return { cpuMicros: cpuMicros(pid) - before, residentBefore, residentPeak };
    },
  };
}

function startPing(port: number, path: string) {
  const file = fileURLToPath(new URL("load/ping.ts", import.meta.url));
  const child = Bun.spawn([process.execPath, file, String(port), path], { stdin: "pipe", stdout: "pipe" });
  return {
    async stop(): Promise<{ readonly waitsMs: readonly number[]; readonly fault: string | null }> {
      await child.stdin.end();
      return (await new Response(child.stdout).json()) as { waitsMs: number[]; fault: string | null };
    },
  };
}

function faultOf({ answered, refused, wrong, broken, firstFault }: Driven, { seconds }: DriveOrder): string | null {
  if (refused + wrong + broken > 0) {
    return `${refused} responses without 2xx, ${wrong} with a wrong body, ${broken} interrupted; ${firstFault ?? ""}`;
  }
  return answered === 0 ? `no call was completed within ${seconds} s` : null;
}

const percentile = (sorted: readonly number[], part: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0;

const present = (figures: Readonly<Partial<Record<FigureName, number | undefined>>>): Round["figures"] =>
  Object.fromEntries(Object.entries(figures).filter(([, number]) => number !== undefined));
