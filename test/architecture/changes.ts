import { git } from "./git.ts";
import type { Place } from "./rule.ts";

/** Changed lines of each file: path -> pairs of the first and the last line. */
export type ChangedLines = ReadonlyMap<string, readonly (readonly [number, number])[]>;

/** Reads which lines of the working tree differ from a commit; nothing differs where git or the commit is missing. */
export function readChangedLines(root: string, commit: string): ChangedLines {
  const changed = new Map<string, [number, number][]>();
  const diff = git(root, ["diff", "-U0", "--no-color", "--no-ext-diff", "--no-prefix", commit])?.toString() ?? "";
  let lines: [number, number][] = [];
  for (const [, path, first, count] of diff.matchAll(/^(?:\+\+\+ ([^\t\n]+).*|@@ \S+ \+(\d+)(?:,(\d+))? @@.*)$/gm)) {
    if (path === undefined) {
      lines.push([Number(first), Number(first) + Number(count ?? 1) - 1]);
      continue;
    }
    lines = [];
    changed.set(path, lines);
  }
  const untracked = git(root, ["ls-files", "--others", "--exclude-standard"])?.toString() ?? "";
  for (const path of untracked.split("\n")) {
    if (path !== "") changed.set(path, [[1, Number.POSITIVE_INFINITY]]);
  }
  return changed;
}

/** Whether a place is in changed lines; a folder is changed when a file in it is. */
export function isChanged({ path, line, lastLine }: Place, changed: ChangedLines): boolean {
  const lines = changed.get(path);
  if (lines !== undefined) return lines.some(([first, last]) => first <= lastLine && last >= line);
  return [...changed.keys()].some((file) => file.startsWith(`${path}/`));
}
