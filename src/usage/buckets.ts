import { GatewayError } from "../contract/errors.ts";
import type { TimeZone } from "../lib/time-zone.ts";
import { QUARTER_MS } from "./rollup.ts";

export const BUCKETS = ["hour", "day", "week", "month"] as const;
export type BucketSize = (typeof BUCKETS)[number];

/** From `start` to just before `end`. */
export interface TimeRange {
  readonly start: number;
  readonly end: number;
}

/** `label` says in the zone's own calendar which hour, day, week or month it is. */
export interface Bucket extends TimeRange {
  readonly label: string;
}

const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;
const BUCKETS_MAX = 2000;

/**
 * The range cut into the zone's hours, days, weeks (from Monday) or months, the first and the last as far as they lie in it.
 * Each begins where the one before ends, whatever the clocks do, so that sums over them add up to the sum of the range.
 */
export function cutInto(
  size: BucketSize,
  zone: TimeZone,
  { start, end }: TimeRange,
  max = BUCKETS_MAX,
): readonly Bucket[] {
  const found: Bucket[] = [];
  for (let at = start; at < end; ) {
    const next = Math.min(nextStart(size, zone, at), end);
    found.push({ start: at, end: next, label: labelOf(size, zone, at) });
    if (found.length > max) throw tooMany(size, max);
    at = next;
  }
  return found;
}

/** Always later than `at`. */
function nextStart(size: BucketSize, zone: TimeZone, at: number): number {
  if (size === "hour") return nextHour(zone, at);
  const day = firstDayOf(size, zone.dayOf(at));
  for (let next = followingDay(size, day); ; next += DAY_MS) {
    const start = zone.startOf(next);
    // A zone that skipped a whole day has no beginning of it.
    if (start > at) return start;
  }
}

/** An hour ends early where the clocks change within it. */
function nextHour(zone: TimeZone, at: number): number {
  const offset = zone.offsetAt(at);
  const end = at + HOUR_MS - modulo(at + offset, HOUR_MS);
  for (let next = at - modulo(at, QUARTER_MS) + QUARTER_MS; next < end; next += QUARTER_MS) {
    if (zone.offsetAt(next) !== offset) return next;
  }
  return end;
}

function firstDayOf(size: BucketSize, day: number): number {
  const date = new Date(day);
  if (size === "week") return day - ((date.getUTCDay() + 6) % 7) * DAY_MS;
  return size === "month" ? Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1) : day;
}

function followingDay(size: BucketSize, day: number): number {
  const date = new Date(day);
  if (size === "month") return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1);
  return day + (size === "week" ? 7 : 1) * DAY_MS;
}

function labelOf(size: BucketSize, zone: TimeZone, at: number): string {
  if (size === "hour") {
    const offset = zone.offsetAt(at);
    const local = new Date(at + offset).toISOString().slice(0, 16);
    return `${local}${offset < 0 ? "-" : "+"}${clock(Math.abs(offset))}`;
  }
  const date = new Date(firstDayOf(size, zone.dayOf(at))).toISOString();
  return date.slice(0, size === "month" ? 7 : 10);
}

const clock = (ms: number): string => new Date(ms).toISOString().slice(11, 16);

const modulo = (value: number, by: number): number => ((value % by) + by) % by;

const tooMany = (size: BucketSize, max: number): GatewayError =>
  new GatewayError("invalid_request", `The range has more than ${max} buckets of one ${size}; name a longer bucket.`);
