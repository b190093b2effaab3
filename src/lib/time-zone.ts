import { BoundedMap } from "./bounded-map.ts";

/** Every offset in use is a multiple of it, and every change of the clocks happens on one. */
const QUARTER_MS = 15 * 60 * 1000;
const DAY_MS = 24 * 60 * 60 * 1000;
/** No change of the clocks moves a local day further than this from where the offset says. */
const SEARCH_MS = 26 * 60 * 60 * 1000;

/** A day of the calendar, as `Date.UTC` counts its first moment: the same number in every zone. */
export type CalendarDay = number;

export interface TimeZone {
  readonly name: string;
  /** What local clocks are ahead of UTC by, in milliseconds. */
  offsetAt(at: number): number;
  dayOf(at: number): CalendarDay;
  /** The first moment of the day: not always midnight, which some changes of the clocks leave out. */
  startOf(day: CalendarDay): number;
}

const formats = new BoundedMap<string, Intl.DateTimeFormat>(200);

/** Without a format, which takes 8 ms to make the first time: every start needs this zone. */
const UTC: TimeZone = {
  name: "UTC",
  offsetAt: () => 0,
  dayOf: (at) => Math.floor(at / DAY_MS) * DAY_MS,
  startOf: (day) => day,
};

/** By its IANA name; null where there is no such zone. */
export function findTimeZone(name: string): TimeZone | null {
  if (name === UTC.name) return UTC;
  const format = formats.get(name) ?? newFormat(name);
  if (format === null) return null;
  formats.set(name, format);
  const offsetAt = (at: number): number => offsetOf(format, at);
  const dayOf = (at: number): CalendarDay => Math.floor((at + offsetAt(at)) / DAY_MS) * DAY_MS;
  return {
    name: format.resolvedOptions().timeZone,
    offsetAt,
    dayOf,
    startOf(day) {
      const guess = day - offsetAt(day - offsetAt(day));
      return firstWhere(guess, (at) => dayOf(at) >= day);
    },
  };
}

/** The first quarter of an hour from which on it holds; nearly always the guess. */
function firstWhere(guess: number, holds: (at: number) => boolean): number {
  if (holds(guess) && !holds(guess - QUARTER_MS)) return guess;
  for (let at = guess - SEARCH_MS; at <= guess + SEARCH_MS; at += QUARTER_MS) if (holds(at)) return at;
  return guess;
}

function newFormat(timeZone: string): Intl.DateTimeFormat | null {
  try {
    return new Intl.DateTimeFormat("en-US", {
      timeZone,
      hourCycle: "h23",
      era: "short",
      year: "numeric",
      month: "numeric",
      day: "numeric",
      hour: "numeric",
      minute: "numeric",
      second: "numeric",
    });
  } catch {
    return null;
  }
}

function offsetOf(format: Intl.DateTimeFormat, at: number): number {
  const parts = new Map(format.formatToParts(at).map(({ type, value }) => [type, Number(value)]));
  const part = (name: Intl.DateTimeFormatPartTypes): number => parts.get(name) ?? 0;
  const local = Date.UTC(part("year"), part("month") - 1, part("day"), part("hour"), part("minute"), part("second"));
  return local - Math.floor(at / 1000) * 1000;
}
