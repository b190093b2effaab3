import { areaOf } from "./repository.ts";
import type { Place, Rule, Sources } from "./rule.ts";

/** How many places each folder may have that break a rule: folder -> rule -> count. */
export type Allowances = Readonly<Record<string, Readonly<Record<string, number>>>>;

export const ALLOWANCES_FILE = "test/architecture/allowances.json";

/** The places of every rule. */
export type Findings = ReadonlyMap<string, readonly Place[]>;

export interface Difference {
  readonly rule: string;
  readonly folder: string;
  readonly allowed: number;
  readonly count: number;
}

export function findPlaces(rules: readonly Rule[], sources: Sources): Findings {
  return new Map(rules.map((rule) => [rule.name, rule.find(sources)]));
}

/** The count of every rule in every folder, zeros included. */
export function countPlaces(findings: Findings, { paths }: Pick<Sources, "paths">): Allowances {
  const folders = [...new Set(paths.map(areaOf))].sort();
  const countIn = (folder: string, places: readonly Place[]) =>
    places.reduce((sum, place) => sum + (place.folder === folder ? place.count : 0), 0);
  const rowOf = (folder: string) => [...findings].map(([rule, places]) => [rule, countIn(folder, places)]);
  return Object.fromEntries(folders.map((folder) => [folder, Object.fromEntries(rowOf(folder))]));
}

/** Every allowance that differs from its count. */
export function compare(allowances: Allowances, counts: Allowances): Difference[] {
  return [...new Set([...Object.keys(allowances), ...Object.keys(counts)])].flatMap((folder) => {
    const [allowed, counted] = [allowances[folder] ?? {}, counts[folder] ?? {}];
    return [...new Set([...Object.keys(allowed), ...Object.keys(counted)])]
      .map((rule) => ({ rule, folder, allowed: allowed[rule] ?? 0, count: counted[rule] ?? 0 }))
      .filter((difference) => difference.allowed !== difference.count);
  });
}

/** Lowers the allowances to the counts. A folder or a rule that is not listed yet starts at its count. */
export function lower(allowances: Allowances, counts: Allowances): Allowances {
  return mapCounts(counts, (count, folder, rule) => Math.min(count, allowances[folder]?.[rule] ?? count));
}

function mapCounts(counts: Allowances, map: (count: number, folder: string, rule: string) => number): Allowances {
  return Object.fromEntries(
    Object.entries(counts).map(([folder, rules]) => [
      folder,
      Object.fromEntries(Object.entries(rules).map(([rule, count]) => [rule, map(count, folder, rule)])),
    ]),
  );
}

/**
 * Finds what is higher after a change than before it. A new folder may start with any counts while the sum of all folders
 * does not rise, so that folders can be renamed and divided. A new rule may start with any counts.
 */
export function findRaises(before: Allowances, after: Allowances): Difference[] {
  const rules = new Set(Object.values(before).flatMap((counts) => Object.keys(counts)));
  const sumOf = (allowances: Allowances, rule: string) =>
    Object.values(allowances).reduce((sum, counts) => sum + (counts[rule] ?? 0), 0);
  return compare(before, after).filter(({ rule, folder, allowed, count }) => {
    if (count <= allowed || !rules.has(rule)) return false;
    return folder in before || sumOf(after, rule) > sumOf(before, rule);
  });
}

export function readAllowances(text: string): Allowances {
  return JSON.parse(text) as Allowances;
}

/** Writes one line for each folder, so that a change of one folder is a change of one line. */
export function writeAllowances(allowances: Allowances): string {
  const lines = Object.entries(allowances).map(([folder, counts]) => {
    const pairs = Object.entries(counts).map(([rule, count]) => `${JSON.stringify(rule)}: ${count}`);
    return `  ${JSON.stringify(folder)}: { ${pairs.join(", ")} }`;
  });
  return `{\n${lines.join(",\n")}\n}\n`;
}
