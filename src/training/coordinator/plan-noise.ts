import { isRecord } from "../../lib/json.ts";
import { unknownFields } from "./plan-fields.ts";

/** Noise over the clip, and the delta that epsilon is told for. */
export interface PlannedNoise {
  readonly multiplier: number;
  readonly delta: number;
}

type Fields = Readonly<Record<string, unknown>>;

/** Less is none, and more is nothing but noise; in between, what it comes to can be counted with. */
const [MULTIPLIER_MIN, MULTIPLIER_MAX] = [1e-3, 1_000];
const CLIP_MAX = 1e15;

/** The plan's `noise`; null where it has none. What cannot go with it is said now, in words. */
export function readNoise(plan: Fields, strategy: string, faults: string[]): PlannedNoise | null {
  const { noise, clip } = plan;
  if (noise === undefined) return null;
  if (!isRecord(noise)) faults.push("noise is not a set of fields");
  const fields: Fields = isRecord(noise) ? noise : {};
  faults.push(...unknownFields("noise", fields, "noise."));
  const multiplier = fields.multiplier ?? 1;
  const delta = fields.delta ?? 1e-5;
  if (!isBetween(multiplier, MULTIPLIER_MIN, MULTIPLIER_MAX))
    faults.push(`noise.multiplier is not a number from ${MULTIPLIER_MIN} to ${MULTIPLIER_MAX}`);
  if (!isBetween(delta, Number.MIN_VALUE, 1 - Number.EPSILON))
    faults.push("noise.delta is not a number between zero and one");
  if (clip === undefined) faults.push("noise without a clip hides nothing; set clip");
  if (typeof clip === "number" && clip > CLIP_MAX)
    faults.push(
      `noise: with a clip of ${clip} it is more than can be counted with; the clip may be ${CLIP_MAX.toExponential()} at most`,
    );
  if (typeof plan.initial !== "string")
    faults.push("noise needs a model to begin with (initial): a first model without noise would tell everything");
  if (strategy !== "fedavg") faults.push("noise goes with fedavg only");
  return { multiplier: Number(multiplier), delta: Number(delta) };
}

const isBetween = (value: unknown, least: number, most: number): boolean =>
  typeof value === "number" && value >= least && value <= most;
