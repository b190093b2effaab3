import type { MetricsSnapshot } from "./metrics.ts";

type Family = MetricsSnapshot[number];
/** Of a counter or a histogram, whose values say of which of its lines they are. */
type Value = Family["values"][number] & { readonly metricName?: string };

/** What only grows: it stays true of a process that is gone. Sizes and ages do not. */
export const countersOf = (snapshot: MetricsSnapshot): MetricsSnapshot =>
  snapshot.filter(({ type }) => isGrowing(String(type)));

const isGrowing = (type: string): boolean => type === "counter" || type === "histogram";

/** The counters of two processes as if one had counted both. */
export function addCounters(one: MetricsSnapshot, other: MetricsSnapshot): MetricsSnapshot {
  const families = new Map(one.map((family) => [family.name, family]));
  for (const family of other) {
    const known = families.get(family.name);
    families.set(family.name, known === undefined ? family : added(known, family));
  }
  return [...families.values()];
}

function added(one: Family, other: Family): Family {
  const values = new Map<string, Value>();
  for (const value of [...one.values, ...other.values] as Value[]) {
    const name = lineOf(value);
    const known = values.get(name);
    values.set(name, known === undefined ? value : { ...value, value: known.value + value.value });
  }
  return { ...one, values: [...values.values()] };
}

const lineOf = ({ metricName = "", labels }: Value): string => {
  const sorted = Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify([metricName, sorted]);
};
