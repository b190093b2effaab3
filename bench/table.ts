import type { Contender } from "./contenders/contender.ts";
import type { Round } from "./measure.ts";
import type { Workload } from "./workloads.ts";

export const median = (numbers: readonly number[]): number => {
  const sorted = numbers.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? (sorted[middle] ?? 0) : ((sorted[middle - 1] ?? 0) + (sorted[middle] ?? 0)) / 2;
};

/** One workload as text: a row for each contender, medians of its rounds, and the ratio of processor time to the floor. */
export function table(
  workload: Workload,
  contenders: readonly Contender[],
  results: ReadonlyMap<string, readonly Round[]>,
): string {
  const floorName = `${workload.floor ?? workload.name}/floor`;
  const floor = medianOf(results.get(floorName), ({ cpuMicros }) => cpuMicros);
  const rows = contenders.flatMap(({ name }) => {
    const rounds = results.get(`${workload.name}/${name}`);
    if (!rounds) return [];
    const cpu = medianOf(rounds, ({ cpuMicros }) => cpuMicros);
    const spread = rounds.map(({ cpuMicros }) => cpuMicros ?? 0);
    return [
      [
        name,
        cpu === null ? "-" : cpu.toFixed(0),
        cpu === null ? "-" : `${Math.min(...spread).toFixed(0)}-${Math.max(...spread).toFixed(0)}`,
        cpu === null || floor === null ? "-" : (cpu / floor).toFixed(2),
        (medianOf(rounds, ({ perSecond }) => perSecond) ?? 0).toFixed(0),
        (medianOf(rounds, ({ p50Ms }) => p50Ms) ?? 0).toFixed(2),
        (medianOf(rounds, ({ p99Ms }) => p99Ms) ?? 0).toFixed(2),
        (medianOf(rounds, ({ firstByteP50Ms }) => firstByteP50Ms) ?? 0).toFixed(2),
        (medianOf(rounds, ({ residentMb }) => residentMb) ?? 0).toFixed(0),
        rounds.some((round) => round.void !== null) ? "VOID" : "",
      ],
    ];
  });
  const head = ["", "CPU us", "spread", "x floor", "per s", "p50 ms", "p99 ms", "first byte", "RSS MB", ""];
  const all = [head, ...rows];
  const widths = head.map((_, column) => Math.max(...all.map((row) => (row[column] ?? "").length)));
  const lines = all.map((row) =>
    row
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join("  "),
  );
  return `\n${workload.title}\n${lines.join("\n")}`;
}

const medianOf = (rounds: readonly Round[] | undefined, figure: (round: Round) => number | null): number | null => {
  const numbers = (rounds ?? [])
    .filter((round) => round.void === null)
    .map(figure)
    .filter((number) => number !== null);
  return numbers.length === 0 ? null : median(numbers);
};
