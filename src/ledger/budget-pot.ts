import type { CallerBudget } from "../contract/caller.ts";

export type BudgetScope = CallerBudget["scope"];

/** Whose budget it is: `key:<id>`, `member:<team>/<user>`, `end_user:<organization>/<name>` and so on. */
export const subjectOf = (scope: BudgetScope, id: string): string => `${scope}:${id}`;

/** What a budget allows in the window that began then. */
export const budgetPot = (subject: string, startMs: number): string => `budget:${subject}:${startMs}`;

const POT = /^budget:(.+):(\d+)$/;

/** The same apart; null for a wallet. */
export function readBudgetPot(pot: string): { readonly subject: string; readonly startMs: number } | null {
  const [, subject, start] = POT.exec(pot) ?? [];
  return subject === undefined ? null : { subject, startMs: Number(start) };
}

/** People belong to no organization, so their windows begin in UTC; all others in the zone of their organization. */
export const zoneOf = (scope: BudgetScope, timezone: string): string => (scope === "user" ? "UTC" : timezone);
