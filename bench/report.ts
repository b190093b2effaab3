import type { Contender } from "./contenders/contender.ts";
import type { Round } from "./measure.ts";
import { median } from "./statistics.ts";
import type { Workload } from "./workloads.ts";

/** Medians of a contender's rounds of one workload; `timesFloor` and `added` are made round by round, then their median. */
export interface Figures {
  readonly workload: string;
  readonly contender: string;
  readonly rounds: number;
  /** Rounds that count for nothing; one is enough to void all of them. */
  readonly void: string | null;
  readonly cpuMicros: number | null;
  readonly cpuSpread: readonly [number, number] | null;
  readonly timesFloor: number | null;
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Over what the same client sees without a gateway, in the same round. */
  readonly addedP50Ms: number | null;
  readonly addedP99Ms: number | null;
  readonly addedFirstByteP50Ms: number | null;
  readonly residentMb: number | null;
}

export type Results = ReadonlyMap<string, readonly Round[]>;

export const keyOf = (workload: string, contender: string): string => `${workload}/${contender}`;

export function figuresOf(workload: Workload, { name }: Contender, results: Results): Figures | null {
  const rounds = results.get(keyOf(workload.name, name));
  if (!rounds || rounds.length === 0) return null;
  const floor = results.get(keyOf(workload.floor ?? workload.name, "floor")) ?? [];
  const direct = results.get(keyOf(workload.floor ?? workload.name, "direct")) ?? [];
  const cpu = rounds.map(({ cpuMicros }) => cpuMicros).filter((micros) => micros !== null);
  const paired = (others: readonly Round[], figure: (mine: Round, other: Round) => number | null): number | null => {
    const numbers = rounds.flatMap((mine, index) => {
      const other = others[index];
      const number = other ? figure(mine, other) : null;
      return number === null ? [] : [number];
    });
    return numbers.length === 0 ? null : median(numbers);
  };
  const ratio = (mine: Round, other: Round) =>
    mine.cpuMicros === null || other.cpuMicros === null ? null : mine.cpuMicros / other.cpuMicros;
  const isDirect = name === "direct";
  return {
    workload: workload.name,
    contender: name,
    rounds: rounds.length,
    void: rounds.find((round) => round.void !== null)?.void ?? null,
    cpuMicros: cpu.length === 0 ? null : median(cpu),
    cpuSpread: cpu.length === 0 ? null : [Math.min(...cpu), Math.max(...cpu)],
    timesFloor: paired(floor, ratio),
    perSecond: median(rounds.map(({ perSecond }) => perSecond)),
    p50Ms: median(rounds.map(({ p50Ms }) => p50Ms)),
    p99Ms: median(rounds.map(({ p99Ms }) => p99Ms)),
    addedP50Ms: isDirect ? null : paired(direct, (mine, other) => mine.p50Ms - other.p50Ms),
    addedP99Ms: isDirect ? null : paired(direct, (mine, other) => mine.p99Ms - other.p99Ms),
    addedFirstByteP50Ms: isDirect ? null : paired(direct, (mine, other) => mine.firstByteP50Ms - other.firstByteP50Ms),
    residentMb: cpu.length === 0 ? null : Math.max(...rounds.map(({ residentMb }) => residentMb ?? 0)),
  };
}

const HEAD = [
  "",
  "CPU us",
  "spread",
  "x floor",
  "per s",
  "p50 ms",
  "p99 ms",
  "+p50 ms",
  "+p99 ms",
  "+1st byte",
  "RSS MB",
];

/** One workload as text, a row for each contender. */
export function tableOf(workload: Workload, figures: readonly Figures[]): string {
  const rows = figures.map((each) => [
    each.contender,
    shown(each.cpuMicros, 0),
    each.cpuSpread === null ? "-" : each.cpuSpread.map((micros) => micros.toFixed(0)).join("-"),
    shown(each.timesFloor, 2),
    shown(each.perSecond, 0),
    shown(each.p50Ms, 2),
    shown(each.p99Ms, 2),
    shown(each.addedP50Ms, 2),
    shown(each.addedP99Ms, 2),
    shown(each.addedFirstByteP50Ms, 2),
    shown(each.residentMb, 0),
    ...(each.void === null ? [] : ["VOID"]),
  ]);
  const all = [HEAD, ...rows];
  const widths = HEAD.map((_, column) => Math.max(...all.map((row) => (row[column] ?? "").length)));
  const lines = all.map((row) =>
    row
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join("  "),
  );
  return `\n${workload.title}\n${lines.join("\n")}`;
}

const shown = (number: number | null, digits: number): string => (number === null ? "-" : number.toFixed(digits));
