import { lengthsOf } from "../aggregate/measure.ts";

/** By how much each change is shortened so that none is longer than `clip`; 1 where it stays as it is. */
export const clipFactors = (products: ReadonlyArray<Float64Array>, clip: number | null): number[] =>
  lengthsOf(products).map((length) => (clip === null || length <= clip ? 1 : clip / length));
