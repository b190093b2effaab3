/** How much over the recorded ratio is a failure. */
const ALLOWED = 1.25;
/** How much under it is worth recording: less than that is chance. */
const BETTER = 0.9;

/** What a call took in one round, of both. */
export interface SmokeRound {
  readonly floor: number;
  readonly own: number;
}

/** The gateway's processor time per call in times of the floor's; `low` and `high` are those of single rounds. */
interface Ratio {
  readonly ratio: number;
  readonly low: number;
  readonly high: number;
}

/** By workload, as `bench/smoke.json` keeps it. */
export type SmokeRecord = Readonly<Record<string, Ratio>>;

export interface Judgement {
  readonly workload: string;
  readonly verdict: "within" | "better" | "over" | "unrecorded" | "unmeasured";
  readonly measured: Ratio | null;
  readonly recorded: number | null;
  readonly allowed: number | null;
}

/**
 * Null where nothing was measured. Others on the machine can only make a round dearer, so what counts is the quarter of the
 * rounds, of each side by itself, that was disturbed least: medians of five rounds lay a fifth apart for the same code.
 */
export function ratioOf(rounds: readonly SmokeRound[]): Ratio | null {
  if (rounds.length === 0) return null;
  const each = rounds.map(({ floor, own }) => own / floor);
  const ratio = quarter(rounds.map(({ own }) => own)) / quarter(rounds.map(({ floor }) => floor));
  return { ratio, low: Math.min(...each), high: Math.max(...each) };
}

const quarter = (numbers: readonly number[]): number =>
  numbers.toSorted((a, b) => a - b)[Math.floor((numbers.length - 1) / 4)] ?? 0;

export function judge(
  recorded: SmokeRecord,
  rounds: Readonly<Record<string, readonly SmokeRound[]>>,
  names: readonly string[],
): Judgement[] {
  return names.map((workload) => {
    const measured = ratioOf(rounds[workload] ?? []);
    const before = recorded[workload]?.ratio ?? null;
    const allowed = before === null ? null : before * ALLOWED;
    return { workload, verdict: verdictOf(measured, before), measured, recorded: before, allowed };
  });
}

function verdictOf(measured: Ratio | null, recorded: number | null): Judgement["verdict"] {
  if (measured === null) return "unmeasured";
  if (recorded === null) return "unrecorded";
  if (measured.ratio > recorded * ALLOWED) return "over";
  return measured.ratio < recorded * BETTER ? "better" : "within";
}

export const isGood = ({ verdict }: Judgement): boolean => verdict === "within" || verdict === "better";

/** What a person reads. */
export function sentenceOf({ workload, verdict, measured, recorded, allowed }: Judgement): string {
  if (measured === null) return `${workload}: not measured`;
  const now = `${workload}: ${times(measured.ratio)} of the floor's processor time per call (${times(measured.low)} to ${times(measured.high)})`;
  if (recorded === null || allowed === null) {
    return `${now}; bench/smoke.json has no ratio for it: npm run bench:smoke -- --record`;
  }
  const against = `recorded ${times(recorded)}, allowed ${times(allowed)}`;
  if (verdict === "over") return `${now}: TOO MUCH; ${against}`;
  if (verdict === "better") return `${now}: better than before; ${against}. Keep it: npm run bench:smoke -- --record`;
  return `${now}; ${against}`;
}

const times = (number: number): string => `${number.toFixed(2)}x`;
