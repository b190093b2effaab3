import { rowsOf, splitForTest } from "../../examples/digits/data.ts";
import { SeededRandom } from "../../src/training/seeded-random.ts";
import { applyStrategy } from "../../src/training/strategies/apply-strategy.ts";
import { createStrategy } from "../../src/training/strategies/strategies.ts";

const [PIXELS, DIGITS, ROWS] = [64, 10, 20];
const LENGTH = (PIXELS + 1) * DIGITS;

interface Simulation {
  readonly registered: number;
  readonly sample: number;
  readonly rounds: number;
  readonly seed: number;
}

export interface Simulated {
  readonly accuracy: number;
  /** The model at the end. */
  readonly values: Float32Array;
  /** Who was asked, in all rounds together. */
  readonly asked: number;
}

/**
 * Rounds in one process, with the sampling and the aggregation of a coordinator: so many are registered by name, some of them train
 * a logistic regression on twenty digits of their own each round. Only those who are asked have any state, and only while they are.
 */
export function simulate({ registered, sample, rounds, seed }: Simulation): Simulated {
  const names = Array.from({ length: registered }, (_, at) => `participant-${at}`);
  const { train, test } = splitForTest(seed);
  const strategy = createStrategy({ name: "fedavg" });
  const asked = new Set<string>();
  let values = new Float32Array(LENGTH);
  for (let round = 1; round <= rounds; round++) {
    const chosen = new SeededRandom(seed, "sample", round).sample(names, sample);
    const updates = chosen.map((participantId) => {
      asked.add(participantId);
      const own = new SeededRandom(seed, "rows", participantId);
      const rows = Array.from({ length: ROWS }, () => train[own.below(train.length)] as number);
      return { participantId, weight: ROWS, values: learn(values, rows) };
    });
    values = applyStrategy(strategy, values, updates, new Map()).values as Float32Array<ArrayBuffer>;
  }
  return { accuracy: accuracyOf(values, test), values, asked: asked.size };
}

/** One pass over the rows, one at a time. */
function learn(global: Float32Array, places: readonly number[]): Float32Array {
  const values = global.slice();
  const { pixels, labels } = rowsOf(places);
  const scores = new Float64Array(DIGITS);
  for (let row = 0; row < labels.length; row++) {
    score(values, pixels.subarray(row * PIXELS, (row + 1) * PIXELS), scores);
    const most = Math.max(...scores);
    const total = scores.reduce((sum, one) => sum + Math.exp(one - most), 0);
    for (let digit = 0; digit < DIGITS; digit++) {
      const error = Math.exp((scores[digit] as number) - most) / total - (labels[row] === digit ? 1 : 0);
      const start = digit * (PIXELS + 1);
      for (let at = 0; at < PIXELS; at++) {
        values[start + at] = (values[start + at] as number) - 0.1 * error * (pixels[row * PIXELS + at] as number);
      }
      values[start + PIXELS] = (values[start + PIXELS] as number) - 0.1 * error;
    }
  }
  return values;
}

function score(values: Float32Array, pixels: Float32Array, into: Float64Array): void {
  for (let digit = 0; digit < DIGITS; digit++) {
    const start = digit * (PIXELS + 1);
    let sum = values[start + PIXELS] as number;
    for (let at = 0; at < PIXELS; at++) sum += (values[start + at] as number) * (pixels[at] as number);
    into[digit] = sum;
  }
}

function accuracyOf(values: Float32Array, places: readonly number[]): number {
  const { pixels, labels } = rowsOf(places);
  const scores = new Float64Array(DIGITS);
  let right = 0;
  for (let row = 0; row < labels.length; row++) {
    score(values, pixels.subarray(row * PIXELS, (row + 1) * PIXELS), scores);
    if (scores.indexOf(Math.max(...scores)) === labels[row]) right++;
  }
  return right / labels.length;
}
