import type { TimePoint } from "./time-chart.tsx";
import type { UsageReport, UsageRow } from "./usage-report.ts";

export interface Stack {
  readonly points: readonly TimePoint[];
  readonly series: readonly { readonly name: string; readonly label: string; readonly color?: string }[];
}

interface StackOptions {
  readonly step: "hour" | "day";
  readonly nameOf: (row: UsageRow) => string;
  readonly amountOf: (row: UsageRow) => number;
  /** More than these are added up as "others". */
  readonly max?: number;
}

/** Sums by step and group as a chart takes them: the largest groups for themselves, and every step of the time there. */
export function stackUsage({ data, meta }: UsageReport, { step, nameOf, amountOf, max = 8 }: StackOptions): Stack {
  const totals = new Map<string, number>();
  for (const row of data) totals.set(nameOf(row), (totals.get(nameOf(row)) ?? 0) + amountOf(row));
  const sorted = [...totals]
    .filter(([, total]) => total !== 0)
    .sort((a, b) => b[1] - a[1])
    .map(([name]) => name);
  const shown = sorted.length > max ? sorted.slice(0, max) : sorted;
  // Names are what people typed; the chart knows the series by their places.
  const places = new Map(shown.map((name, at) => [name, `s${at}`]));
  const others = shown.length < sorted.length;
  const steps = stepsOf(meta, step);
  const blank = Object.fromEntries([...places.values(), ...(others ? ["others"] : [])].map((name) => [name, 0]));
  const points = steps.map((at) => ({ at: new Date(at).toISOString(), ...blank })) as Record<string, string | number>[];
  for (const row of data) {
    const at = steps.findLastIndex((start) => start <= Date.parse(row.start));
    const point = points[Math.max(0, at)];
    const place = places.get(nameOf(row)) ?? (others ? "others" : undefined);
    if (point && place !== undefined) point[place] = Number(point[place] ?? 0) + amountOf(row);
  }
  return {
    points: points as unknown as readonly TimePoint[],
    series: [
      ...shown.map((name, at) => ({ name: `s${at}`, label: name })),
      ...(others ? [{ name: "others", label: "others", color: "gray.5" }] : []),
    ],
  };
}

/** Beginnings of the hours or days of the viewer's zone; clocks may change among them. */
export function stepsOf({ startDate, endDate }: UsageReport["meta"], step: "hour" | "day"): readonly number[] {
  const end = Date.parse(endDate);
  const found: number[] = [];
  const at = new Date(startDate);
  while (at.getTime() < end && found.length < 2000) {
    found.push(at.getTime());
    if (step === "hour") at.setTime(at.getTime() + 3_600_000);
    else at.setDate(at.getDate() + 1);
  }
  return found;
}
