import type { BudgetWindow } from "../../../../src/contract/duration.ts";
import { parseUsd } from "../../components/parse-usd.ts";
import type { Limits } from "./limits.ts";

/** A budget as `/budget/list` has it: US dollars as numbers, made from integers. */
export interface BudgetRow {
  readonly budget_id: string;
  readonly max_budget: number | null;
  readonly budget_duration: string | null;
  readonly soft_budget: number | null;
  readonly rpm_limit: number | null;
  readonly tpm_limit: number | null;
  readonly max_parallel_requests: number | null;
  readonly updated_at: string;
}

export const BUDGETS_KEY = ["operator", "budgets"] as const;

const WINDOWS: Readonly<Record<string, BudgetWindow>> = { "1h": "hour", "1d": "day", "7d": "week", "30d": "month" };

/** The shortest decimal that a number is written as is the amount that was meant. */
const nano = (usd: number | null): number | null => (usd === null ? null : parseUsd(plain(usd)));
const plain = (usd: number): string => (String(usd).includes("e") ? usd.toFixed(9) : String(usd));

export function limitsOf(row: BudgetRow): Limits {
  const limit = nano(row.max_budget);
  const softBudget = nano(row.soft_budget);
  const { budget_duration: duration } = row;
  const window = duration === null ? "total" : (WINDOWS[duration] ?? (duration as BudgetWindow));
  return {
    budget: limit === null ? null : { limit, window },
    budgetWindow: limit === null && softBudget === null ? null : window,
    softBudget,
    rpmLimit: row.rpm_limit,
    tpmLimit: row.tpm_limit,
    parallelLimit: row.max_parallel_requests,
  };
}
