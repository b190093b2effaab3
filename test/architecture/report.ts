import { ALLOWANCES_FILE, type Difference, type Findings } from "./allowances.ts";
import { type ChangedLines, isChanged, readChangedLines } from "./changes.ts";
import { git } from "./git.ts";
import type { Raise } from "./history.ts";
import type { Place } from "./rule.ts";

const PLACES_MAX = 20;

/** Describes the folders that have more places than allowed, with the places that are most likely new. */
export function reportExcess(root: string, differences: readonly Difference[], findings: Findings): string | null {
  const excess = differences.filter(({ allowed, count }) => count > allowed);
  if (excess.length === 0) return null;
  const changes = readRecentChanges(root);
  const parts = excess.map(({ rule, folder, allowed, count }) => {
    const places = (findings.get(rule) ?? []).filter((place) => place.folder === folder);
    const { shown, where } = selectPlaces(places, count - allowed, changes);
    return [
      `${folder}: ${count} ${rule}, ${allowed} allowed. Fix at least ${count - allowed}. ${where}:`,
      ...shown.slice(0, PLACES_MAX).map(({ path, line, message }) => `  ${path}:${line}  ${message}`),
      ...(shown.length > PLACES_MAX ? [`  ... and ${shown.length - PLACES_MAX} more`] : []),
    ].join("\n");
  });
  return parts.join("\n\n");
}

interface Change {
  readonly where: string;
  readonly lines: ChangedLines;
}

/** The changes that may have caused an excess, the latest first. */
function readRecentChanges(root: string): Change[] {
  // The counts were right when the allowances last changed.
  const since = git(root, ["log", "-1", "--format=%H", "--", ALLOWANCES_FILE])?.toString().trim() ?? "";
  return [
    { where: "In lines that are not committed", lines: readChangedLines(root, "HEAD") },
    {
      where: "In lines that are not committed or that the last commit changed",
      lines: readChangedLines(root, "HEAD~1"),
    },
    ...(since === ""
      ? []
      : [{ where: "In lines that are newer than the allowances", lines: readChangedLines(root, since) }]),
  ];
}

/** The places in the latest changes that explain the excess; all places when the changes do not explain it. */
function selectPlaces(places: readonly Place[], excess: number, changes: readonly Change[]) {
  for (const { where, lines } of changes) {
    const shown = places.filter((place) => isChanged(place, lines));
    if (shown.reduce((sum, { count }) => sum + count, 0) >= excess) return { shown, where };
  }
  return { shown: places, where: "In all lines" };
}

/** Describes the allowances that are higher than the counts. */
export function reportUnused(differences: readonly Difference[]): string | null {
  const unused = differences.filter(({ allowed, count }) => count < allowed);
  if (unused.length === 0) return null;
  return [
    "Fewer places than allowed. Lower the allowances with `npm run allowances`, and commit the file with your change:",
    ...unused.map(({ rule, folder, allowed, count }) => `  ${folder}: ${count} ${rule}, ${allowed} allowed`),
  ].join("\n");
}

export function reportRaises(raises: readonly Raise[]): string | null {
  if (raises.length === 0) return null;
  return [
    `An allowance in ${ALLOWANCES_FILE} may only fall. Fix the places instead, and restore the value:`,
    ...raises.map(({ rule, folder, allowed, count, commit }) => {
      const where = commit === null ? "" : ` in commit ${commit.slice(0, 10)}`;
      return `  ${folder}: ${rule}: ${allowed} -> ${count}${where}`;
    }),
  ].join("\n");
}
