import { type BudgetWindow, spanOf } from "../contract/duration.ts";

/** From `startMs` on and before `endMs`, in milliseconds since 1970. */
export interface Window {
  readonly startMs: number;
  readonly endMs: number;
}

/** Every zone is ahead of UTC or behind it by quarters of an hour. */
const QUARTER_MS = 900_000;
const HOUR_MS = 4 * QUARTER_MS;
const DAY_MS = 24 * HOUR_MS;
const FOR_EVER: Window = { startMs: 0, endMs: Number.POSITIVE_INFINITY };

/** Windows of several days or months, and of lengths in hours or less, are counted from this Monday on. */
const FIRST_YEAR = 2024;
const FIRST_DAY = Date.UTC(FIRST_YEAR, 0, 1);

/**
 * Finds the window of a moment. Hours begin where the zone's clocks show a full hour, days at its midnight or, if the
 * clocks skip that, at the first moment after; weeks begin on Monday. Each window ends where the next begins.
 */
export function windowAt(kind: BudgetWindow, zone: string, atMs: number): Window {
  if (kind === "total") return FOR_EVER;
  if (kind === "hour") return hourAt(zone, atMs);
  const span = spanOf(kind);
  if (span.unit === "ms") return lengthAt(span.count, zone, atMs);
  const days: Days = span;
  let first = firstDay(days, atMs + offsetAt(zone, atMs));
  let startMs = midnight(zone, first);
  for (;;) {
    const next = nextFirst(days, first);
    const endMs = midnight(zone, next);
    // Clocks that were put back across midnight show yesterday's date again: the new day has begun all the same.
    if (atMs < endMs) return { startMs, endMs };
    first = next;
    startMs = endMs;
  }
}

/** Whether the sums by quarter of an hour have what was spent in a window. Others are summed from the usage log. */
export const isOfQuarters = ({ startMs, endMs }: Window): boolean =>
  startMs % QUARTER_MS === 0 && (endMs === Number.POSITIVE_INFINITY || endMs % QUARTER_MS === 0);

/** The windows of now at hand: a call does not pay for the calendar. */
export class BudgetWindows {
  private readonly known = new Map<string, Window>();

  at(kind: BudgetWindow, zone: string, nowMs: number): Window {
    const key = `${kind} ${zone}`;
    const known = this.known.get(key);
    if (known && nowMs >= known.startMs && nowMs < known.endMs) return known;
    const found = windowAt(kind, zone, nowMs);
    this.known.set(key, found);
    return found;
  }
}

function hourAt(zone: string, atMs: number): Window {
  const offset = offsetAt(zone, atMs);
  const startMs = Math.floor((atMs + offset) / HOUR_MS) * HOUR_MS - offset;
  const endMs = startMs + HOUR_MS;
  if (offsetAt(zone, startMs) === offset && offsetAt(zone, endMs) === offset) return { startMs, endMs };
  // Clocks are put back or forward here, and not always by a full hour: the next hour is looked for on them.
  let first = Math.floor(atMs / QUARTER_MS) * QUARTER_MS;
  while (!beginsHour(zone, first)) first -= QUARTER_MS;
  let next = first + QUARTER_MS;
  while (!beginsHour(zone, next)) next += QUARTER_MS;
  return { startMs: first, endMs: next };
}

/** Whether the clocks show a full hour, or have just left one out. */
function beginsHour(zone: string, atMs: number): boolean {
  const local = atMs + offsetAt(zone, atMs);
  const before = atMs - QUARTER_MS + offsetAt(zone, atMs - QUARTER_MS);
  return local % HOUR_MS === 0 || Math.floor(local / HOUR_MS) > Math.floor(before / HOUR_MS);
}

/** Fixed lengths do not follow the clocks when these are put forward or back. */
function lengthAt(lengthMs: number, zone: string, atMs: number): Window {
  const firstMs = midnight(zone, FIRST_DAY);
  const startMs = firstMs + Math.floor((atMs - firstMs) / lengthMs) * lengthMs;
  return { startMs, endMs: startMs + lengthMs };
}

interface Days {
  readonly unit: "day" | "month";
  readonly count: number;
}

/** The date on which the window of a local time began, as that date's midnight in UTC. */
function firstDay({ unit, count }: Days, localMs: number): number {
  if (unit === "day") {
    const days = Math.floor((localMs - FIRST_DAY) / DAY_MS);
    return FIRST_DAY + Math.floor(days / count) * count * DAY_MS;
  }
  const date = new Date(localMs);
  const months = (date.getUTCFullYear() - FIRST_YEAR) * 12 + date.getUTCMonth();
  return Date.UTC(FIRST_YEAR, Math.floor(months / count) * count, 1);
}

function nextFirst({ unit, count }: Days, first: number): number {
  if (unit === "day") return first + count * DAY_MS;
  const date = new Date(first);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + count, 1);
}

/** The first moment of a date in a zone; the date is given as its midnight in UTC. */
function midnight(zone: string, date: number): number {
  const before = date - offsetAt(zone, date - DAY_MS);
  const after = date - offsetAt(zone, date + DAY_MS);
  const [early, late] = before < after ? [before, after] : [after, before];
  if (early + offsetAt(zone, early) === date) return early;
  if (late + offsetAt(zone, late) === date) return late;
  // The clocks leave midnight out: the date begins where they are put forward.
  return before;
}

const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone);
  if (known) return known;
  const format = new Intl.DateTimeFormat("en-US", {
    timeZone: zone,
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  });
  formats.set(zone, format);
  return format;
}

/** How far a zone's clocks are ahead of UTC at a moment, in milliseconds. */
function offsetAt(zone: string, atMs: number): number {
  if (zone === "UTC") return 0;
  const second = Math.floor(atMs / 1000) * 1000;
  const parts: Record<string, number> = {};
  for (const { type, value } of formatOf(zone).formatToParts(second)) parts[type] = Number(value);
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second: seconds = 0 } = parts;
  return Date.UTC(year, month - 1, day, hour, minute, seconds) - second;
}
