import { GatewayError } from "./errors.ts";

const UNITS_MS: Readonly<Record<string, number>> = {
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 7 * 86_400_000,
};

/** The moment that lies a duration ahead, in milliseconds. A month is one of the calendar. */
export function momentAfter(nowMs: number, duration: string, param: string): number {
  const [, digits = "", unit = ""] = /^(\d{1,6})(s|m|h|d|w|mo)$/.exec(duration) ?? [];
  if (digits === "" || Number(digits) === 0) {
    const reason = "use a number and a unit, such as 30s, 30m, 30h, 30d, 1w or 1mo.";
    throw new GatewayError("invalid_request", `${param}: ${reason}`, { param });
  }
  if (unit !== "mo") return nowMs + Number(digits) * (UNITS_MS[unit] ?? 0);
  const then = new Date(nowMs);
  const day = then.getUTCDate();
  then.setUTCMonth(then.getUTCMonth() + Number(digits));
  // After a 31st comes the last day of a month that has none.
  if (then.getUTCDate() !== day) then.setUTCDate(0);
  return then.getTime();
}

type CalendarWindow = "hour" | "day" | "week" | "month";
type SpanUnit = "s" | "m" | "h" | "d" | "w" | "mo";

/** How long a budget lasts until it resets: a calendar window, never (`total`), or a length of time, e.g. `12h`. */
export type BudgetWindow = CalendarWindow | "total" | `${number}${SpanUnit}`;
export type TimedWindow = Exclude<BudgetWindow, "total">;

/** A length of time: `ms`, or whole days or months. */
export type Span =
  | { readonly unit: "ms"; readonly count: number }
  | { readonly unit: "day" | "month"; readonly count: number };

const CALENDAR: Readonly<Record<CalendarWindow, { readonly span: Span; readonly duration: string }>> = {
  hour: { span: { unit: "ms", count: 3_600_000 }, duration: "1h" },
  day: { span: { unit: "day", count: 1 }, duration: "1d" },
  week: { span: { unit: "day", count: 7 }, duration: "7d" },
  month: { span: { unit: "month", count: 1 }, duration: "30d" },
};

const ALIASES: Readonly<Record<string, CalendarWindow>> = {
  "3600s": "hour",
  "60m": "hour",
  "1h": "hour",
  "24h": "day",
  "1d": "day",
  "7d": "week",
  "1w": "week",
  "30d": "month",
  "1mo": "month",
  hourly: "hour",
  daily: "day",
  weekly: "week",
  monthly: "month",
};

/** Text for error messages and documentation. */
export const BUDGET_DURATIONS = "a number and a unit (s, m, h, d, w, mo), e.g. 30s, 12h, 1d, 7d, 30d or 1mo";
export const BUDGET_WINDOW_PATTERN = "^(?:hour|day|week|month|total|0*[1-9][0-9]{0,8}(?:s|m|h|d|w|mo))$";

const YEARS_MAX = 100;

/** Parses the duration of a budget; null if it is not a valid duration. */
export function parseBudgetDuration(text: string): TimedWindow | null {
  const duration = text.trim().toLowerCase().replace(/^0+/, "");
  const calendar = Object.hasOwn(ALIASES, duration) ? ALIASES[duration] : undefined;
  if (calendar !== undefined) return calendar;
  if (!/^[1-9]\d{0,8}(s|m|h|d|w|mo)$/.test(duration)) return null;
  const window = duration as TimedWindow;
  return isTooLong(spanOf(window)) ? null : window;
}

/** The same for APIs that also take the names of calendar windows. */
export const parseBudgetWindow = (text: string): BudgetWindow | null =>
  text === "total" || isCalendar(text) ? text : parseBudgetDuration(text);

/** The duration that stands for a window; null for `total`, which never resets. */
export const durationOfWindow = (window: BudgetWindow): string | null =>
  window === "total" ? null : isCalendar(window) ? CALENDAR[window].duration : window;

export function spanOf(window: TimedWindow): Span {
  if (isCalendar(window)) return CALENDAR[window].span;
  const [, digits, unit = ""] = /^(\d+)(\w+)$/.exec(window) ?? [];
  const count = Number(digits);
  if (unit === "mo") return { unit: "month", count };
  if (unit === "d" || unit === "w") return { unit: "day", count: unit === "w" ? 7 * count : count };
  return { unit: "ms", count: count * (UNITS_MS[unit] ?? Number.NaN) };
}

export function isWithinDay(window: BudgetWindow): boolean {
  if (window === "total") return false;
  const { unit, count } = spanOf(window);
  return unit === "ms" && count < 86_400_000;
}

const isCalendar = (text: string): text is CalendarWindow => Object.hasOwn(CALENDAR, text);

const isTooLong = ({ unit, count }: Span): boolean =>
  count > YEARS_MAX * { ms: 365 * 86_400_000, day: 365, month: 12 }[unit];
