export const median = (numbers: readonly number[]): number => {
  const sorted = numbers.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? (sorted[middle] ?? 0) : ((sorted[middle - 1] ?? 0) + (sorted[middle] ?? 0)) / 2;
};

/** The middle of what some rounds showed, and how far apart they lay. */
export interface Spread {
  readonly median: number;
  readonly low: number;
  readonly high: number;
}

/** Null where nothing was measured. */
export function spreadOf(numbers: readonly number[]): Spread | null {
  if (numbers.length === 0) return null;
  return { median: median(numbers), low: Math.min(...numbers), high: Math.max(...numbers) };
}
