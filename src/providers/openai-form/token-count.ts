/** More than any model reads or writes in a call; a larger figure is a fault of the upstream and must not be charged. */
const TOKENS_MAX = 1_000_000_000;

export const isTokenCount = (value: unknown): value is number =>
  typeof value === "number" && value >= 0 && value <= TOKENS_MAX;

/** A number of tokens that an upstream reports, 0 if it is none. */
export const tokenCount = (value: unknown): number => (isTokenCount(value) ? Math.round(value) : 0);
