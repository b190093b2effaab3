import type { Spread } from "./statistics.ts";

/** Everything that is measured, how a table calls it and with how many digits. */
export const FIGURES = {
  cpuMicros: { head: "CPU µs", digits: 0 },
  timesFloor: { head: "x floor", digits: 2 },
  timesTurnpike: { head: "x turnpike", digits: 2 },
  /** Over what the books alone take, with nothing that balances, limits, keeps or guards. */
  overPlainMicros: { head: "µs over plain", digits: 1 },
  chunkMicros: { head: "CPU µs a chunk", digits: 1 },
  microsPerKb: { head: "µs a further kB", digits: 2 },
  perSecond: { head: "calls/s", digits: 0 },
  p50Ms: { head: "p50 ms", digits: 2 },
  p99Ms: { head: "p99 ms", digits: 2 },
  addedP50Ms: { head: "p50 added", digits: 2 },
  addedP99Ms: { head: "p99 added", digits: 2 },
  firstByteP50Ms: { head: "1st byte p50", digits: 2 },
  firstByteP99Ms: { head: "1st byte p99", digits: 2 },
  addedFirstByteP50Ms: { head: "1st byte p50 added", digits: 2 },
  addedFirstByteP99Ms: { head: "1st byte p99 added", digits: 2 },
  /** How much longer than without a gateway; over 1.05 a gateway does not keep pace. */
  timesDirect: { head: "x direct's time", digits: 2 },
  stallP50Ms: { head: "wait p50 ms", digits: 2 },
  stallP99Ms: { head: "wait p99 ms", digits: 2 },
  stallMs: { head: "longest wait ms", digits: 1 },
  residentBeforeMb: { head: "RSS before MB", digits: 0 },
  residentMb: { head: "RSS MB", digits: 0 },
} as const;

export type FigureName = keyof typeof FIGURES;
export type Figure = Spread | null;

/** `12.3 (11.9-14)`, or the bare number where there was one round. */
export function shown(figure: Figure | undefined, digits: number): string {
  if (!figure) return "-";
  const { median, low, high } = figure;
  const text = (number: number) => number.toFixed(digits);
  return low === high ? text(median) : `${text(median)} (${text(low)} to ${text(high)})`;
}
