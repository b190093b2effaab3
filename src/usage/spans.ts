import type { TimeRange } from "./buckets.ts";
import { DAY_MS, dayOf, QUARTER_MS } from "./rollup.ts";

/** Sums that are read together, and how they count. */
export interface Span extends TimeRange {
  /** By day of UTC, or by quarter of an hour. */
  readonly by: "day" | "quarter";
  /** Only what lies in this part of each day of UTC, in milliseconds since its beginning. */
  readonly within: TimeRange | null;
  /** They count for the bucket that lies so long after the beginning of their day of UTC; null for their own. */
  readonly countsAt: number | null;
  /** They are taken off. */
  readonly isTaken: boolean;
}

/** Each is a part of one statement, of which databases take some hundred. */
const SPANS_MAX = 120;
/** More of each day than this, read twice, is no less than reading all of it. */
const CUT_MAX_MS = 8 * 60 * 60 * 1000;

/** A time in which days of UTC lie in one bucket each, are cut in two at the same time of day, or are read by quarter. */
interface Run extends TimeRange {
  readonly kind: "whole" | "cut" | "quarters";
  readonly cutAt: number;
}

/**
 * Where the sums of buckets are found that follow each other: by day where a whole day of UTC lies in one bucket, which are far
 * fewer rows, and by quarter of an hour for the rest. Days of other zones cut each day of UTC: it counts for the bucket that
 * has most of it, and the quarters of the rest are taken off there and added where they belong.
 */
export function spansOf(buckets: readonly TimeRange[]): readonly Span[] {
  const [first, last] = [buckets[0], buckets.at(-1)];
  if (!first || !last) return [];
  const spans = joined(runsOf(buckets, first.start, last.end)).flatMap(readingOf);
  return spans.length <= SPANS_MAX ? spans : [plain("quarter", { start: first.start, end: last.end })];
}

function runsOf(buckets: readonly TimeRange[], start: number, end: number): readonly Run[] {
  const [from, until] = [dayOf(start + DAY_MS - 1), dayOf(end)];
  if (from >= until) return [runOf("quarters", start, end)];
  const inside = buckets.map((bucket) => bucket.start).filter((at) => at > from && at < until && at !== dayOf(at));
  const runs = [runOf("quarters", start, from)];
  let at = from;
  for (const [day, borders] of Map.groupBy(inside, dayOf)) {
    runs.push(runOf("whole", at, day));
    const [border = day, ...others] = borders;
    const cutAt = border - day;
    const isCut = others.length === 0 && Math.min(cutAt, DAY_MS - cutAt) <= CUT_MAX_MS;
    runs.push(isCut ? runOf("cut", day, day + DAY_MS, cutAt) : runOf("quarters", day, day + DAY_MS));
    at = day + DAY_MS;
  }
  return [...runs, runOf("whole", at, until), runOf("quarters", until, end)].filter((run) => run.start < run.end);
}

const runOf = (kind: Run["kind"], start: number, end: number, cutAt = 0): Run => ({ kind, start, end, cutAt });

/** Those that are alike and follow each other are one. A single day that is cut is read by quarter: it is one part in place of three. */
function joined(runs: readonly Run[]): readonly Run[] {
  const alike = (all: readonly Run[]): readonly Run[] =>
    all.reduce<Run[]>((made, run) => {
      const before = made.at(-1);
      if (before?.kind === run.kind && before.cutAt === run.cutAt) made[made.length - 1] = { ...before, end: run.end };
      else made.push(run);
      return made;
    }, []);
  const isSingle = ({ kind, start, end }: Run) => kind === "cut" && end - start === DAY_MS;
  return alike(alike(runs).map((run) => (isSingle(run) ? runOf("quarters", run.start, run.end) : run)));
}

function readingOf({ kind, start, end, cutAt }: Run): readonly Span[] {
  if (kind !== "cut") return [plain(kind === "whole" ? "day" : "quarter", { start, end })];
  const isLate = cutAt > DAY_MS / 2;
  const within = isLate ? { start: cutAt, end: DAY_MS } : { start: 0, end: cutAt };
  const countsAt = isLate ? 0 : DAY_MS - QUARTER_MS;
  return [
    { ...plain("day", { start, end }), countsAt },
    { ...plain("quarter", { start, end }), within },
    { ...plain("quarter", { start, end }), within, countsAt, isTaken: true },
  ];
}

const plain = (by: Span["by"], { start, end }: TimeRange): Span => ({
  by,
  start,
  end,
  within: null,
  countsAt: null,
  isTaken: false,
});
