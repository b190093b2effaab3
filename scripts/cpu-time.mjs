import { readdirSync, readFileSync } from "node:fs";

/** Linux counts processor time in ticks of a hundredth of a second, on every processor. */
const TICKS_PER_SECOND = 100;

/**
 * CPU seconds used so far by a process, its running descendants, and those that have ended and were waited for.
 * Returns null on systems without `/proc`.
 */
export function cpuSeconds(pid) {
  const processes = readProcesses();
  if (!processes.has(pid)) return null;
  const tree = [pid];
  for (const parent of tree) for (const [child, { ppid }] of processes) if (ppid === parent) tree.push(child);
  return tree.reduce((sum, each) => sum + processes.get(each).ticks, 0) / TICKS_PER_SECOND;
}

function readProcesses() {
  const processes = new Map();
  for (const name of listProc()) {
    const stat = readStat(name);
    if (stat !== null) processes.set(Number(name), stat);
  }
  return processes;
}

function listProc() {
  try {
    return readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  } catch {
    return [];
  }
}

/** Null for a process that has ended since its folder was listed. */
function readStat(pid) {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The process name is in parentheses and may contain anything, so the fields are counted from the last one.
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
    const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
    return { ppid: Number(fields[1]), ticks };
  } catch {
    return null;
  }
}
