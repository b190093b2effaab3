import { readdirSync, readFileSync } from "node:fs";

/** The processes that a process has started, in the order of their numbers. */
export function childrenOf(pid: number): readonly number[] {
  const children: number[] = [];
  for (const name of readdirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    try {
      // After the name in parentheses, which may hold anything: the state and the parent.
      const parent = readFileSync(`/proc/${name}/stat`, "utf8").split(") ").at(-1)?.split(" ")[1];
      if (Number(parent) === pid) children.push(Number(name));
    } catch {
      // It has ended meanwhile.
    }
  }
  return children.sort((a, b) => a - b);
}
