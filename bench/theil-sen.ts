import { median } from "./statistics.ts";

export interface Point {
  readonly x: number;
  readonly y: number;
}

export interface Slope {
  /** The median of the slopes between every two points: up to a third of them may be wild without moving it much. */
  readonly slope: number;
  /** Between these it lies with a confidence of 95 %. */
  readonly low: number;
  readonly high: number;
  readonly intercept: number;
}

/** Of the normal distribution: 2.5 % lie above. */
const Z = 1.96;

/** Null for fewer points than an interval can be told of. */
export function theilSen(points: readonly Point[]): Slope | null {
  const slopes = points
    .flatMap((a, index) => points.slice(index + 1).flatMap((b) => (a.x === b.x ? [] : [(b.y - a.y) / (b.x - a.x)])))
    .toSorted((a, b) => a - b);
  const count = points.length;
  if (count < 5 || slopes.length === 0) return null;
  // How many more pairs rise than fall by chance alone has this deviation when there is no trend (Kendall).
  const deviation = Math.sqrt((count * (count - 1) * (2 * count + 5)) / 18);
  const below = Math.max(0, Math.floor((slopes.length - Z * deviation) / 2));
  const above = Math.min(slopes.length - 1, Math.ceil((slopes.length + Z * deviation) / 2));
  const slope = median(slopes);
  return {
    slope,
    low: slopes[below] ?? slope,
    high: slopes[above] ?? slope,
    intercept: median(points.map(({ x, y }) => y - slope * x)),
  };
}
