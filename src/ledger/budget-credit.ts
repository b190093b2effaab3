import type { CallerBudget } from "../contract/caller.ts";

export type BudgetScope = CallerBudget["scope"];

/** Whose budget it is: `key:<id>`, `member:<team>/<user>`, `end_user:<organization>/<name>` and so on. */
export const subjectOf = (scope: BudgetScope, id: string): string => `${scope}:${id}`;

/** What a budget allows in the window that began then. */
export const budgetPot = (subject: string, startMs: number): string => `budget:${subject}:${startMs}`;

/** The name for a further budget: the windows of several may begin at the same time. */
export const furtherSource = (subject: string, startMs: number, { window, model }: FurtherTerms): string =>
  `budget[${window}${model === undefined ? "" : `/${encodeURIComponent(model.toWellFormed())}`}]:${subject}:${startMs}`;

type FurtherTerms = Pick<CallerBudget, "window" | "model">;

const POT = /^budget(?:\[\w+(?:\/([^\]]+))?\])?:(.+):(\d+)$/;

interface BudgetSource {
  readonly subject: string;
  readonly startMs: number;
  /** Set if only calls of this model count. */
  readonly model: string | null;
}

/** Parses the name of a budget; null for a wallet. */
export function readBudgetPot(pot: string): BudgetSource | null {
  const [, model, subject, start] = POT.exec(pot) ?? [];
  if (subject === undefined) return null;
  return { subject, startMs: Number(start), model: model === undefined ? null : decodeURIComponent(model) };
}

/** People belong to no organization, so their windows begin in UTC; all others in the zone of their organization. */
export const zoneOf = (scope: BudgetScope, timezone: string): string => (scope === "user" ? "UTC" : timezone);
