import { serverNowMs } from "../api/server-clock.ts";

/** The viewer's own zone, as the browser knows it. */
export const viewerZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone || "UTC";

const locale = (): string => navigator.language || "en";

const DAY = new Intl.DateTimeFormat(locale(), { day: "numeric", month: "short", year: "numeric" });
const MINUTE = new Intl.DateTimeFormat(locale(), {
  day: "numeric",
  month: "short",
  year: "numeric",
  hour: "2-digit",
  minute: "2-digit",
});
const THIS_YEAR = new Intl.DateTimeFormat(locale(), {
  day: "numeric",
  month: "short",
  hour: "2-digit",
  minute: "2-digit",
});
const SECOND = new Intl.DateTimeFormat(locale(), {
  day: "numeric",
  month: "short",
  year: "numeric",
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
  fractionalSecondDigits: 3,
  timeZoneName: "short",
});
const FORMS = { day: DAY, minute: MINUTE, second: SECOND } as const;

export const formatTime = (at: string | number | Date, form: keyof typeof FORMS = "minute"): string =>
  FORMS[form].format(new Date(at));

/** Date and time; a short one leaves the year out where it is this one. */
export function formatMinute(at: string, isShort: boolean): string {
  const time = new Date(at);
  const isThisYear = time.getFullYear() === new Date(serverNowMs()).getFullYear();
  return (isShort && isThisYear ? THIS_YEAR : MINUTE).format(time);
}

const RELATIVE = {
  long: new Intl.RelativeTimeFormat(locale(), { numeric: "auto" }),
  narrow: new Intl.RelativeTimeFormat(locale(), { numeric: "auto", style: "narrow" }),
} as const;
const STEPS = [
  ["second", 60_000, 1000],
  ["minute", 3_600_000, 60_000],
  ["hour", 86_400_000, 3_600_000],
  ["day", 30 * 86_400_000, 86_400_000],
] as const;

/** "3 minutes ago"; the date itself when it is further than a month away. */
export function formatAgo(at: string | number | Date, style: keyof typeof RELATIVE = "long"): string {
  const difference = new Date(at).getTime() - serverNowMs();
  const step = STEPS.find(([, below]) => Math.abs(difference) < below);
  return step ? RELATIVE[style].format(Math.round(difference / step[2]), step[0]) : formatTime(at, "day");
}

/** For the axis of a chart, by how wide its steps are. */
export const formatTick = (at: string | number | Date, step: "hour" | "day"): string =>
  new Intl.DateTimeFormat(
    locale(),
    step === "hour" ? { hour: "2-digit", minute: "2-digit" } : { day: "numeric", month: "short" },
  ).format(new Date(at));
