import { type Spread, spreadOf } from "./statistics.ts";

/** How much over the recorded ratio is a failure. */
const ALLOWED = 1.25;
/** How much under it is worth recording: less than that is chance. */
const BETTER = 0.9;

/** By workload: the gateway's processor time per call in times of the floor's, as `bench/smoke.json` keeps it. */
export type SmokeRecord = Readonly<Record<string, Spread>>;

export interface Judgement {
  readonly workload: string;
  readonly verdict: "within" | "better" | "over" | "unrecorded" | "unmeasured";
  readonly measured: Spread | null;
  readonly recorded: number | null;
  readonly allowed: number | null;
}

/** `ratios` has one number for each round of a workload; the median is what counts, so that one round in trouble does not. */
export function judge(recorded: SmokeRecord, ratios: Readonly<Record<string, readonly number[]>>): Judgement[] {
  const names = new Set([...Object.keys(ratios), ...Object.keys(recorded)]);
  return [...names].map((workload) => {
    const measured = spreadOf(ratios[workload] ?? []);
    const before = recorded[workload]?.median ?? null;
    const allowed = before === null ? null : before * ALLOWED;
    return { workload, verdict: verdictOf(measured, before), measured, recorded: before, allowed };
  });
}

function verdictOf(measured: Spread | null, recorded: number | null): Judgement["verdict"] {
  if (measured === null) return "unmeasured";
  if (recorded === null) return "unrecorded";
  if (measured.median > recorded * ALLOWED) return "over";
  return measured.median < recorded * BETTER ? "better" : "within";
}

export const isGood = ({ verdict }: Judgement): boolean => verdict === "within" || verdict === "better";

/** What a person reads. */
export function sentenceOf({ workload, verdict, measured, recorded, allowed }: Judgement): string {
  if (measured === null) return `${workload}: not measured, though bench/smoke.json has it`;
  const now = `${workload}: ${times(measured.median)} of the floor's processor time per call (${times(measured.low)} to ${times(measured.high)})`;
  if (recorded === null || allowed === null) {
    return `${now}; bench/smoke.json has no ratio for it: npm run bench:smoke -- --record`;
  }
  const against = `recorded ${times(recorded)}, allowed ${times(allowed)}`;
  if (verdict === "over") return `${now}: TOO MUCH; ${against}`;
  if (verdict === "better") return `${now}: better than before; ${against}. Keep it: npm run bench:smoke -- --record`;
  return `${now}; ${against}`;
}

const times = (number: number): string => `${number.toFixed(2)}x`;
