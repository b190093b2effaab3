import type { describeMachine } from "./machine.ts";
import { type Point, type Slope, theilSen } from "./theil-sen.ts";

/** What a process may seem to grow by. A leak of a kilobyte a call would be six megabytes at a hundred calls a second. */
const GROWTH_MAX_MB_PER_MINUTE = 1;
/** Memory goes up and down as it is collected: the least of so many seconds is what is held. */
const WINDOW_SECONDS = 10;

export interface SoakJudgement {
  readonly good: boolean;
  /** In megabytes a minute; null where there was too little to go by. */
  readonly growth: Slope | null;
  readonly windows: readonly Point[];
}

/** What a soak shows, as `--json` writes it. */
export interface SoakReport extends SoakJudgement {
  readonly command: string;
  readonly machine: ReturnType<typeof describeMachine>;
  readonly warmUpSeconds: number;
  readonly answered: number;
  readonly left: number;
  readonly faults: number;
  readonly sentence: string;
  readonly residentMb: readonly number[];
}

/** `residentMb` has one number for each second, after the warm-up. */
export function judgeSoak(residentMb: readonly number[]): SoakJudgement {
  const windows: Point[] = [];
  for (let from = 0; from + WINDOW_SECONDS <= residentMb.length; from += WINDOW_SECONDS) {
    const x = (from + WINDOW_SECONDS / 2) / 60;
    windows.push({ x, y: Math.min(...residentMb.slice(from, from + WINDOW_SECONDS)) });
  }
  const growth = theilSen(windows);
  return { good: growth !== null && growth.low <= GROWTH_MAX_MB_PER_MINUTE, growth, windows };
}

export function soakSentenceOf({ good, growth, windows }: SoakJudgement): string {
  const rule = `passes when the lower bound is not over ${GROWTH_MAX_MB_PER_MINUTE} MB/min`;
  if (growth === null) return `too short to judge: ${windows.length} times ${WINDOW_SECONDS} s; ${rule}`;
  const { slope, low, high } = growth;
  const text = (number: number) => number.toFixed(2);
  const result = `memory moves by ${text(slope)} MB/min, with 95 % confidence between ${text(low)} and ${text(high)}`;
  return good ? `passed: ${result}` : `FAILED: ${result}; ${rule}`;
}
