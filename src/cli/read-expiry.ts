import { InvalidArgumentError } from "commander";

const DAY_SECONDS = 86_400;
const UNIT_SECONDS: Readonly<Record<string, number>> = {
  s: 1,
  second: 1,
  m: 60,
  min: 60,
  minute: 60,
  h: 3_600,
  hour: 3_600,
  d: DAY_SECONDS,
  day: DAY_SECONDS,
  w: 7 * DAY_SECONDS,
  week: 7 * DAY_SECONDS,
};
const UNIT_MONTHS: Readonly<Record<string, number>> = { mo: 1, month: 1, y: 12, year: 12 };

const DURATION = /^(\d{1,6}) ?([a-z]+)$/;
const DATE = /^\d{4}-\d{2}-\d{2}$/;
const TIME_WITH_ZONE = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:?\d{2})$/i;

export const EXPIRY = "when it ends: 30d, 12h, 6mo, a date (00:00 UTC of 2027-01-31), a time with its zone";

/** When something ends, as the server wants it. The parser of flags makes an empty text of null, so `never` stays a word. */
export const expiryReader =
  (nowMs: () => number = Date.now) =>
  (text: string): string => {
    const wanted = text.trim();
    if (wanted === "never" || wanted === "none") return "never";
    const moment = durationEnd(wanted.toLowerCase(), nowMs()) ?? momentOf(wanted);
    if (moment === null) {
      const zone = /^\d{4}-\d{2}-\d{2}[T ]/i.test(wanted) ? " A time needs its zone, such as 2027-01-31T12:00Z." : "";
      throw new InvalidArgumentError(`It must be a time ahead, such as 30d, 12h, 2027-01-31 or never.${zone}`);
    }
    if (moment <= nowMs()) throw new InvalidArgumentError("It lies in the past.");
    return new Date(moment).toISOString();
  };

export const orNever = (expires: string | undefined): string | null | undefined =>
  expires === "never" ? null : expires;

/** Seconds, or a duration such as 1h. */
export function readSeconds(text: string): number {
  const [, digits, unit = ""] = DURATION.exec(text.trim().toLowerCase()) ?? [];
  const seconds = /^\d{1,7}$/.test(text) ? Number(text) : Number(digits) * (unitOf(UNIT_SECONDS, unit) ?? Number.NaN);
  if (Number.isNaN(seconds))
    throw new InvalidArgumentError("It must be a number of seconds, or such as 30m, 12h or 7d.");
  return seconds;
}

function durationEnd(text: string, nowMs: number): number | null {
  const [, digits, unit = ""] = DURATION.exec(text) ?? [];
  if (digits === undefined) return null;
  const months = unitOf(UNIT_MONTHS, unit);
  if (months === undefined) {
    return inRange(nowMs + Number(digits) * 1_000 * (unitOf(UNIT_SECONDS, unit) ?? Number.NaN));
  }
  const then = new Date(nowMs);
  const day = then.getUTCDate();
  then.setUTCMonth(then.getUTCMonth() + Number(digits) * months);
  // The 31st of a month that has none is its last day.
  if (then.getUTCDate() !== day) then.setUTCDate(0);
  return inRange(then.getTime());
}

/** Of one or of many: `day` and `days`, but `ms` are no minutes. */
const unitOf = (units: Readonly<Record<string, number>>, name: string): number | undefined =>
  units[name] ?? (name.length > 2 && name.endsWith("s") ? units[name.slice(0, -1)] : undefined);

function momentOf(text: string): number | null {
  if (!DATE.test(text) && !TIME_WITH_ZONE.test(text)) return null;
  const moment = inRange(Date.parse(text.replace(" ", "T")));
  // The 30th of February would be taken for a day in March.
  const day = inRange(Date.parse(text.slice(0, 10)));
  return day !== null && new Date(day).toISOString().startsWith(text.slice(0, 10)) ? moment : null;
}

/** What has no four digits for its year is a slip of the pen. */
const inRange = (ms: number): number | null => (ms < Date.UTC(10_000, 0) ? ms : null);
