import type { BudgetWindow } from "../../../src/contract/duration.ts";

interface Choice {
  readonly value: string;
  readonly label: string;
}

/** Windows that a field for budgets offers. */
export const WINDOWS: readonly Choice[] = [
  { value: "hour", label: "an hour" },
  { value: "day", label: "a day" },
  { value: "week", label: "a week" },
  { value: "month", label: "a month" },
  { value: "total", label: "in all" },
];

/** Keeps another duration, e.g. `12h`, that was set through the API. */
export const withCurrent = (choices: readonly Choice[], current: unknown): Choice[] =>
  typeof current !== "string" || current === "" || choices.some(({ value }) => value === current)
    ? [...choices]
    : [...choices, { value: current, label: `each ${current}` }];

const EACH: Readonly<Record<string, string>> = Object.fromEntries(WINDOWS.map(({ value, label }) => [value, label]));
const CURRENT: Readonly<Record<string, string>> = {
  hour: "this hour",
  day: "today",
  week: "this week",
  month: "this month",
  total: "in all",
};

export const eachWindow = (window: BudgetWindow): string => EACH[window] ?? `each ${window}`;
export const currentWindow = (window: BudgetWindow): string => CURRENT[window] ?? `in the current ${window}`;
