import type { Price } from "./price.ts";

/**
 * The prices of a sheet as plain numbers. What usual calls cost can be worked out with them exactly, since no number on the
 * way is larger than 2^53; with BigInt, of which each step makes a new one, it took 4 µs of a call.
 */
export interface PlainPrices {
  /** Of one unit of each component that is charged for, in parts of a nano-USD. */
  readonly each: readonly number[];
  /** How many such parts make a nano-USD. */
  readonly perNano: number;
}

const FEMTO_PER_NANO = 1_000_000;

/** Null where a price depends on how long the prompt is, or is too large. */
export function plainPrices(charged: readonly { readonly price: Price }[]): PlainPrices | null {
  let part = FEMTO_PER_NANO;
  for (const { price } of charged) {
    if (price.tiers.length > 0 || price.base > BigInt(Number.MAX_SAFE_INTEGER)) return null;
    while (Number(price.base) % part !== 0) part /= 10;
  }
  return { each: charged.map(({ price }) => Number(price.base) / part), perNano: FEMTO_PER_NANO / part };
}

export const isExact = (value: number): boolean => value <= Number.MAX_SAFE_INTEGER;

/** Both are whole, and so is what comes of it: a quotient of numbers could be rounded to the wrong side. */
export const divideDown = (value: number, by: number): number => (value - (value % by)) / by;
export const divideUp = (value: number, by: number): number => divideDown(value, by) + (value % by === 0 ? 0 : 1);
