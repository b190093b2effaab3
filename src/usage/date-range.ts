import { GatewayError } from "../contract/errors.ts";
import { findTimeZone, type TimeZone } from "../lib/time-zone.ts";
import type { TimeRange } from "./buckets.ts";
import { QUARTER_MS, quarterOf } from "./rollup.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
const DATE_CHARS = "2026-01-31".length;
const DATE = /^\d{4}-\d{2}-\d{2}$/;
const INSTANT = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:?\d{2})$/i;

export function requireTimeZone(name: string): TimeZone {
  const zone = findTimeZone(name);
  if (zone) return zone;
  throw new GatewayError("invalid_request", `"${name}" is not a time zone; an IANA name such as Europe/Berlin is.`, {
    param: "tz",
  });
}

/** When it begins: a date is the first moment of its day in the zone, an instant is itself. */
export function readStart(text: string, zone: TimeZone): number {
  return DATE.test(text) ? zone.startOf(readDay(text)) : readInstant(text);
}

/** Just after its end: a date ends with its day, an instant ends the range before itself. */
export function readEnd(text: string, zone: TimeZone): number {
  return DATE.test(text) ? zone.startOf(readDay(text) + DAY_MS) : readInstant(text);
}

/** Made of whole quarters, of which sums are kept: a range that begins or ends within one gets all of it. */
export const wholeQuarters = ({ start, end }: TimeRange): TimeRange => ({
  start: quarterOf(start),
  end: quarterOf(end + QUARTER_MS - 1),
});

function readDay(text: string): number {
  const day = Date.parse(`${text}T00:00:00Z`);
  // 30 February parses in some engines and is another day then.
  if (Number.isNaN(day) || new Date(day).toISOString().slice(0, 10) !== text) throw notATime(text);
  return day;
}

function readInstant(text: string): number {
  if (!INSTANT.test(text)) throw notATime(text);
  readDay(text.slice(0, DATE_CHARS));
  const instant = Date.parse(text.replace(" ", "T"));
  if (Number.isNaN(instant)) throw notATime(text);
  return instant;
}

const notATime = (text: string): GatewayError =>
  new GatewayError(
    "invalid_request",
    `"${text.slice(0, 40)}" is not a date (2026-01-31) or a time with its zone (2026-01-31T12:00:00Z).`,
  );
