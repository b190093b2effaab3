import type { TableEntry, TablePrice } from "./entry.ts";

export interface Table {
  readonly date: string;
  readonly sources: Readonly<Record<string, string>>;
  readonly models: Readonly<Record<string, TableEntry>>;
}

/** The text of the table, with one line for each model: a change shows up as one line in a review. */
export function linesOf({ date, sources, models }: Table): string {
  const lines = Object.entries(models).map(([name, entry]) => `${JSON.stringify(name)}:${JSON.stringify(entry)}`);
  return `{"date":${JSON.stringify(date)},"sources":${JSON.stringify(sources)},"models":{\n${lines.join(",\n")}\n}}\n`;
}

const SHOWN_MAX = 40;

/** Summarizes an update for the reviewer. */
export function summaryOf(before: Table, after: Table, disagreements: number): string[] {
  const [old, now] = [before.models, after.models];
  const added = Object.keys(now).filter((name) => old[name] === undefined);
  const removed = Object.keys(old).filter((name) => now[name] === undefined);
  const both = Object.keys(now).filter((name) => old[name] !== undefined);
  const repriced = both.filter((name) => !Bun.deepEquals(old[name]?.prices, now[name]?.prices));
  const unpriced = repriced.filter((name) => now[name]?.prices === undefined);
  const versions = Object.entries(after.sources).map(([name, version]) => `${name} ${version}`);
  const priced = Object.values(now).filter(({ prices, free }) => prices !== undefined || free).length;
  return [
    `Sources: ${versions.join(", ")}`,
    `Models: ${Object.keys(now).length}, ${priced} with a price; ${added.length} added, ${removed.length} removed`,
    `Prices on which the sources disagree: ${disagreements} (scripts/facts/disagreements.json)`,
    ...listed("Lost their price", unpriced, (name) => name),
    ...listed("Changed price", repriced, (name) => `${name}: ${baseText(old[name])} -> ${baseText(now[name])}`),
    ...listed("Removed", removed, (name) => name),
  ];
}

function listed(title: string, names: readonly string[], show: (name: string) => string): string[] {
  if (names.length === 0) return [];
  const more = names.length > SHOWN_MAX ? [`  and ${names.length - SHOWN_MAX} more`] : [];
  return [`${title}: ${names.length}`, ...names.slice(0, SHOWN_MAX).map((name) => `  ${show(name)}`), ...more];
}

function baseText(entry: TableEntry | undefined): string {
  const base = (price: TablePrice | undefined) => (typeof price === "object" ? price.base : price);
  if (entry?.free) return "free";
  const prices = Object.entries(entry?.prices ?? {}).map(([component, price]) => `${component} ${base(price)}`);
  return prices.length === 0 ? "no price" : prices.join(", ");
}
