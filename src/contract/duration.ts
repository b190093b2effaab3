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

export type CalendarWindow = "hour" | "day" | "week" | "month";

const WINDOWS: Readonly<Record<string, CalendarWindow>> = {
  "3600s": "hour",
  "60m": "hour",
  "1h": "hour",
  "24h": "day",
  "1d": "day",
  "7d": "week",
  "1w": "week",
  "30d": "month",
  "1mo": "month",
};

/** For people. */
export const BUDGET_DURATIONS = "1h, 1d (or 24h), 7d (or 1w) and 30d (or 1mo)";

/** The window of the calendar that the duration of a budget stands for; null where it stands for none. */
export const calendarWindow = (duration: string): CalendarWindow | null =>
  (Object.hasOwn(WINDOWS, duration) ? WINDOWS[duration] : null) ?? null;
