import { readFileSync } from "node:fs";
import { join } from "node:path";
import { SeededRandom } from "../../src/training/seeded-random.ts";

const PIXELS = 64;
const ROW = PIXELS + 1;

/** Rows of 64 numbers from 0 to 1, and the digit of each. */
export interface Rows {
  readonly pixels: Float32Array;
  readonly labels: Uint8Array;
}

const file = readFileSync(join(import.meta.dir, "digits.u8"));
const COUNT = file.length / ROW;
const labelOf = (row: number): number => file[row * ROW + PIXELS] as number;

export function rowsOf(places: readonly number[]): Rows {
  const pixels = new Float32Array(places.length * PIXELS);
  places.forEach((row, at) => {
    for (let pixel = 0; pixel < PIXELS; pixel++) pixels[at * PIXELS + pixel] = (file[row * ROW + pixel] as number) / 16;
  });
  return { pixels, labels: Uint8Array.from(places, labelOf) };
}

/** A fifth of every digit for the test, the rest for training; the same for the same seed. */
export function splitForTest(seed: number): { train: number[]; test: number[] } {
  const random = new SeededRandom(seed, "test");
  const [train, test]: number[][] = [[], []];
  for (let digit = 0; digit < 10; digit++) {
    const places = Array.from({ length: COUNT }, (_, row) => row).filter((row) => labelOf(row) === digit);
    const chosen = new Set(random.sample(places, Math.round(places.length / 5)));
    for (const row of places) (chosen.has(row) ? test : train)?.push(row);
  }
  return { train: train ?? [], test: test ?? [] };
}

/** Who holds which rows: evenly mixed, or two digits each. */
export function divide(train: readonly number[], participants: number, skewed: boolean, seed: number): number[][] {
  const random = new SeededRandom(seed, "divide");
  const keyed = train.map((row) => ({ row, key: random.uniform() })).sort((a, b) => a.key - b.key);
  const mixed = keyed.map(({ row }) => row);
  if (!skewed)
    return Array.from({ length: participants }, (_, at) => mixed.filter((_, place) => place % participants === at));
  const sorted = mixed.toSorted((a, b) => labelOf(a) - labelOf(b));
  const size = Math.ceil(sorted.length / (2 * participants));
  const shards = Array.from({ length: 2 * participants }, (_, at) => sorted.slice(at * size, (at + 1) * size));
  // Shards are dealt so that nobody gets two of one digit.
  return Array.from({ length: participants }, (_, at) => [...(shards[at] ?? []), ...(shards[at + participants] ?? [])]);
}
