import type { TeamMemberRecord, TeamRecord } from "../../../../src/contract/organizations.ts";
import { parseUsd, plainUsd } from "../../components/parse-usd.ts";

/** What the fields of limits hold, as it is typed. */
export interface LimitValues extends Record<string, unknown> {
  budget: string;
  budgetWindow: string;
  rpmLimit: number | string;
  tpmLimit: number | string;
}

type Limited = Pick<TeamMemberRecord, "budget" | "rpmLimit" | "tpmLimit"> & Partial<Pick<TeamRecord, "budgetWindow">>;

export const limitValues = ({ budget, budgetWindow, rpmLimit, tpmLimit }: Limited): LimitValues => ({
  budget: budget === null ? "" : plainUsd(budget.limit),
  budgetWindow: budgetWindow ?? budget?.window ?? "month",
  rpmLimit: rpmLimit ?? "",
  tpmLimit: tpmLimit ?? "",
});

/** What is sent; null empties a limit. The window is also that of a soft budget, where there is one beside these. */
export function limitBody(values: LimitValues, softBudget: number | null = null) {
  const budget = nanoOrNull(values.budget);
  return {
    budget,
    budgetWindow: budget === null && softBudget === null ? null : values.budgetWindow,
    rpmLimit: countOrNull(values.rpmLimit),
    tpmLimit: countOrNull(values.tpmLimit),
  };
}

export const nanoOrNull = (text: string): number | null => (text.trim() === "" ? null : parseUsd(text));
export const countOrNull = (value: number | string): number | null => (value === "" ? null : Number(value));

export const checkUsd = (text: string): string | null =>
  text.trim() === "" || parseUsd(text) !== null ? null : "An amount in USD, such as 25 or 19.99";
