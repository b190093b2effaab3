import { hoursAgo, localDay } from "./usage-report.ts";

/** A stretch of time as the address bar has it: a name, or two days of the viewer's calendar. */
export const TIME_RANGE = { range: "30d", from: "", to: "" };
export type TimeRangeState = typeof TIME_RANGE;

export const RANGES = [
  { value: "24h", label: "24 hours" },
  { value: "7d", label: "7 days" },
  { value: "30d", label: "30 days" },
  { value: "90d", label: "90 days" },
  { value: "days", label: "From … to" },
];

export interface AskedRange {
  readonly startDate: string;
  /** Undefined: until now. */
  readonly endDate: string | undefined;
  readonly step: "hour" | "day";
}

export function askedRange({ range, from, to }: TimeRangeState): AskedRange {
  if (range === "24h") return { startDate: hoursAgo(23), endDate: undefined, step: "hour" };
  if (range === "7d") return { startDate: localDay(-6), endDate: undefined, step: "day" };
  if (range === "90d") return { startDate: localDay(-89), endDate: undefined, step: "day" };
  if (range !== "days") return { startDate: localDay(-29), endDate: undefined, step: "day" };
  const start = from === "" ? localDay(-29) : from;
  const end = to === "" || to < start ? undefined : to;
  return { startDate: start, endDate: end, step: end === start ? "hour" : "day" };
}
