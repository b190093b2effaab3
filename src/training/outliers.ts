/** How many times the median of the others a length or a count may be (default). */
export const OUTLIER_FACTOR = 100;
/** Two values do not show which of them is wrong. */
const VALUES_MIN = 3;

/** Returns the median of the others where a value is far above it, and null in the place of every other value. */
export function findOutliers(values: readonly number[], factor: number | null): ReadonlyArray<number | null> {
  const sorted = values.toSorted((a, b) => a - b);
  // Without the value itself, which is above it, this is the median of the others.
  const median = sorted[Math.floor((values.length - 1) / 2)] ?? 0;
  const isChecked = factor !== null && values.length >= VALUES_MIN && median > 0;
  return values.map((value) => (isChecked && value > factor * median ? median : null));
}

/** Describes an outlier and the range of the others. */
export const outlierText = (what: string, median: number, factor: number | null): string =>
  `${what}, more than ${factor} times the median of the others (${Number(median.toPrecision(3))})`;
