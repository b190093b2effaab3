import { readdirSync, readFileSync, rmSync } from "node:fs";

/** Linux counts processor time in clock ticks, a hundred per second. */
const TICK_MICROS = 10_000;
/** A gateway completes its open calls after SIGTERM. */
const STOP_GRACE_MS = 5_000;
const STOP_POLL_MS = 20;

/** Processor time of a process and its descendants so far, in microseconds. */
export function cpuMicros(pid: number): number {
  return treeOf(pid).reduce((sum, each) => sum + ownMicros(each), 0);
}

/** Resident memory of a process and its descendants, in bytes. */
export function residentBytes(pid: number): number {
  return treeOf(pid).reduce((sum, each) => {
    const found = /VmRSS:\s+(\d+) kB/.exec(read(`/proc/${each}/status`));
    return sum + Number(found?.[1] ?? 0) * 1024;
  }, 0);
}

/** Stops a process and its descendants: SIGTERM first, SIGKILL after a grace period. */
export async function stopTree(pid: number, graceMs = STOP_GRACE_MS): Promise<void> {
  for (const delayMs of stopStepwise(treeOf(pid), graceMs)) await Bun.sleep(delayMs);
}

/** Stops every process that this process started before it exits: when it ends, fails or is interrupted. */
export function stopProcessesAtExit(): void {
  const exitCodes = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;
  for (const [signal, code] of Object.entries(exitCodes)) process.once(signal, () => process.exit(code));
  process.once("exit", () => {
    // An exit handler cannot wait for promises.
    for (const delayMs of stopStepwise(treeOf(process.pid).slice(1), STOP_GRACE_MS)) Bun.sleepSync(delayMs);
    for (const folder of foldersToRemove) rmSync(folder, { recursive: true, force: true });
  });
}

/** Yields the delays that the caller must wait between the steps. */
function* stopStepwise(pids: readonly number[], graceMs: number): Generator<number> {
  for (const signal of ["SIGTERM", "SIGKILL"] as const) {
    signalAll(pids, signal);
    for (let waitedMs = 0; waitedMs < graceMs && pids.some(isAlive); waitedMs += STOP_POLL_MS) yield STOP_POLL_MS;
  }
}

const foldersToRemove = new Set<string>();

/** Removes a folder when this process exits, after the processes that use it have stopped. */
export function removeAtExit(folder: string): void {
  foldersToRemove.add(folder);
}

function signalAll(pids: readonly number[], signal: NodeJS.Signals): void {
  for (const pid of pids.filter(isAlive)) {
    try {
      process.kill(pid, signal);
    } catch {
      // The process has ended since.
    }
  }
}

/** Whether a process runs. A zombie does not. */
export function isAlive(pid: number): boolean {
  const state = statOf(pid)[0];
  return state !== undefined && state !== "" && state !== "Z";
}

/** The clock in ticks misses nothing but is coarse; the counters of the threads are fine but omit ended threads. */
function ownMicros(pid: number): number {
  return Math.max(tickMicros(pid), threadMicros(pid));
}

function threadMicros(pid: number): number {
  const threads = entries(`/proc/${pid}/task`);
  return threads.reduce((sum, id) => sum + Number(read(`/proc/${pid}/task/${id}/schedstat`).split(" ")[0]) / 1000, 0);
}

function tickMicros(pid: number): number {
  const fields = statOf(pid);
  return (Number(fields[11] ?? 0) + Number(fields[12] ?? 0)) * TICK_MICROS;
}

function treeOf(root: number): number[] {
  const parents = new Map<number, number>();
  for (const name of readdirSync("/proc")) {
    if (/^\d+$/.test(name)) parents.set(Number(name), Number(statOf(Number(name))[1] ?? 0));
  }
  const tree = [root];
  for (const pid of tree) for (const [child, parent] of parents) if (parent === pid) tree.push(child);
  return tree;
}

/** The fields of `/proc/PID/stat` from the state on. The name before them is in brackets and may contain anything. */
function statOf(pid: number): string[] {
  const text = read(`/proc/${pid}/stat`);
  return text.slice(text.lastIndexOf(")") + 2).split(" ");
}

function entries(path: string): string[] {
  try {
    return readdirSync(path);
  } catch {
    // The process has ended since.
    return [];
  }
}

function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    // The process has ended since.
    return "";
  }
}
