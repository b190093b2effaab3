import { ALLOWANCES_FILE, type Allowances, type Difference, findRaises, readAllowances } from "./allowances.ts";
import { git } from "./git.ts";

/** A raise, and the commit that made it; null for a change that is not committed. */
export interface Raise extends Difference {
  readonly commit: string | null;
}

/** Compares each version of the allowances with the version before it, from the working tree to the first commit. */
export function findRaisesInHistory(root: string, current: Allowances): Raise[] {
  const commits = git(root, ["log", "--format=%H", "--", ALLOWANCES_FILE])?.toString().split("\n") ?? [];
  const committed = commits.flatMap((commit) => {
    const text = commit === "" ? null : git(root, ["show", `${commit}:${ALLOWANCES_FILE}`]);
    return text === null ? [] : [{ commit, allowances: readAllowances(text.toString()) }];
  });
  const versions = [{ commit: null, allowances: current }, ...committed];
  return versions.flatMap(({ commit, allowances }, index) => {
    const before = versions[index + 1];
    return before === undefined ? [] : findRaises(before.allowances, allowances).map((raise) => ({ ...raise, commit }));
  });
}
