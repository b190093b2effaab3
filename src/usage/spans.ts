import type { TimeRange } from "./buckets.ts";
import { DAY_MS, dayOf } from "./rollup.ts";

/** A time whose sums are read by day of UTC, or by quarter of an hour. */
export interface Span extends TimeRange {
  readonly by: "day" | "quarter";
}

/** Each is a part of one statement, of which databases take some hundred. */
const SPANS_MAX = 120;

/**
 * Where the sums of buckets are found that follow each other: by day where a whole day of UTC lies in a bucket, which are far
 * fewer rows, and by quarter of an hour for the rest. Days of other zones have no whole day of UTC in them.
 */
export function spansOf(buckets: readonly TimeRange[]): readonly Span[] {
  const [first, last] = [buckets[0], buckets.at(-1)];
  if (!first || !last) return [];
  const spans: Span[] = [];
  const add = (by: Span["by"], start: number, end: number): void => {
    if (start >= end) return;
    const before = spans.at(-1);
    if (before?.by === by) spans[spans.length - 1] = { ...before, end };
    else spans.push({ by, start, end });
  };
  for (const { start, end } of buckets) {
    const [from, until] = [dayOf(start + DAY_MS - 1), dayOf(end)];
    if (from >= until) {
      add("quarter", start, end);
      continue;
    }
    add("quarter", start, from);
    add("day", from, until);
    add("quarter", until, end);
  }
  return spans.length <= SPANS_MAX ? spans : [{ by: "quarter", start: first.start, end: last.end }];
}
