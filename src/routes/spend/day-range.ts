import { GatewayError } from "../../contract/errors.ts";
import { findTimeZone, type TimeZone } from "../../lib/time-zone.ts";
import { type Bucket, cutInto, type TimeRange } from "../../usage/buckets.ts";
import { readEnd, readStart, wholeQuarters } from "../../usage/date-range.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
const DEFAULT_DAYS = 30;

interface Days {
  readonly start_date?: string;
  readonly end_date?: string;
}

/** A time as LiteLLM's clients send it, without a zone: these operations count in UTC. */
const WITHOUT_ZONE = /^\d{4}-\d{2}-\d{2}[ T]\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?$/;

const inUtc = (text: string): string => (WITHOUT_ZONE.test(text) ? `${text}Z` : text);

/** The range in UTC (default: the last thirty days), made of whole quarters of an hour. */
export function dayRange({ start_date, end_date }: Days, nowMs: number): TimeRange {
  const zone = utc();
  const end = end_date ? readEnd(inUtc(end_date), zone) : nowMs;
  const start = start_date ? readStart(inUtc(start_date), zone) : zone.startOf(zone.dayOf(end) - DEFAULT_DAYS * DAY_MS);
  if (start > end)
    throw new GatewayError("invalid_request", "start_date lies after end_date.", { param: "start_date" });
  return wholeQuarters({ start, end });
}

export const daysOf = (range: TimeRange): readonly Bucket[] => cutInto("day", utc(), range);

export const isoDay = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

function utc(): TimeZone {
  const zone = findTimeZone("UTC");
  if (!zone) throw new Error("there is no UTC");
  return zone;
}
