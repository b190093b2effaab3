import { readdirSync, readFileSync } from "node:fs";

/** In clock ticks of which there are a hundred a second on every Linux. */
const TICK_MICROS = 10_000;

/** Processor time of a process and its children so far, in microseconds. */
export function cpuMicros(pid: number): number {
  return treeOf(pid).reduce((sum, each) => sum + ownMicros(each), 0);
}

/** Resident memory of a process and its children, in bytes. */
export function residentBytes(pid: number): number {
  return treeOf(pid).reduce((sum, each) => {
    const found = /VmRSS:\s+(\d+) kB/.exec(read(`/proc/${each}/status`));
    return sum + Number(found?.[1] ?? 0) * 1024;
  }, 0);
}

/** The clock in ticks misses nothing but is coarse; the one by thread is fine but forgets threads that have ended. */
function ownMicros(pid: number): number {
  return Math.max(tickMicros(pid), threadMicros(pid));
}

function threadMicros(pid: number): number {
  const threads = entries(`/proc/${pid}/task`);
  return threads.reduce((sum, id) => sum + Number(read(`/proc/${pid}/task/${id}/schedstat`).split(" ")[0]) / 1000, 0);
}

function tickMicros(pid: number): number {
  const text = read(`/proc/${pid}/stat`);
  // The name stands in brackets and may hold anything.
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11] ?? 0) + Number(fields[12] ?? 0)) * TICK_MICROS;
}

function treeOf(root: number): number[] {
  const parents = new Map<number, number>();
  for (const name of readdirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    const text = read(`/proc/${name}/stat`);
    parents.set(Number(name), Number(text.slice(text.lastIndexOf(")") + 2).split(" ")[1] ?? 0));
  }
  const tree = [root];
  for (const pid of tree) for (const [child, parent] of parents) if (parent === pid) tree.push(child);
  return tree;
}

function entries(path: string): string[] {
  try {
    return readdirSync(path);
  } catch {
    // It has ended in the meantime.
    return [];
  }
}

function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    // It has ended in the meantime.
    return "";
  }
}
