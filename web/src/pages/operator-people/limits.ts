import type { BudgetWindow } from "../../../../src/contract/duration.ts";
import { parseUsd, plainUsd } from "../../components/parse-usd.ts";

/** Limits as organizations, teams and keys show them. */
export interface Limits {
  readonly budget: { readonly limit: number; readonly window: BudgetWindow } | null;
  readonly softBudget: number | null;
  /** Of both of them. */
  readonly budgetWindow: BudgetWindow | null;
  readonly rpmLimit: number | null;
  readonly tpmLimit: number | null;
  readonly parallelLimit: number | null;
}

/** What a dialog changes beside the limits themselves. */
export interface Allowed extends Limits {
  readonly models: readonly string[];
  /** A budget under a name: its limits are then theirs. */
  readonly budgetId: string | null;
}

export const NO_LIMITS: Limits = {
  budget: null,
  softBudget: null,
  budgetWindow: null,
  rpmLimit: null,
  tpmLimit: null,
  parallelLimit: null,
};

/** What a form holds: text as it was typed. */
export type LimitValues = {
  budget: string;
  budgetWindow: string;
  softBudget: string;
  rpmLimit: string | number;
  tpmLimit: string | number;
  parallelLimit: string | number;
};

export const limitValues = ({
  budget,
  budgetWindow,
  softBudget,
  rpmLimit,
  tpmLimit,
  parallelLimit,
}: Limits): LimitValues => ({
  budget: budget === null ? "" : plainUsd(budget.limit),
  budgetWindow: budgetWindow ?? "month",
  softBudget: softBudget === null ? "" : plainUsd(softBudget),
  rpmLimit: rpmLimit ?? "",
  tpmLimit: tpmLimit ?? "",
  parallelLimit: parallelLimit ?? "",
});

const amount = (text: string): number | null => (text.trim() === "" ? null : parseUsd(text));
const count = (value: string | number): number | null => (value === "" ? null : Number(value));

const windowOf = ({ budget, softBudget, budgetWindow }: LimitValues): string | null =>
  amount(budget) === null && amount(softBudget) === null ? null : budgetWindow;

/** For the platform's API, in nano-USD. */
const platformLimits = (values: LimitValues) => ({
  budget: amount(values.budget),
  budgetWindow: windowOf(values),
  softBudget: amount(values.softBudget),
  rpmLimit: count(values.rpmLimit),
  tpmLimit: count(values.tpmLimit),
  parallelLimit: count(values.parallelLimit),
});

const DURATIONS: Readonly<Record<string, string | null>> = {
  hour: "1h",
  day: "1d",
  week: "7d",
  month: "30d",
  total: null,
};
const durationOf = (window: string | null): string | null =>
  window === null ? null : window in DURATIONS ? (DURATIONS[window] ?? null) : window;

/** The server reads the decimal that is written: nothing is lost below eight million dollars. */
function usd(text: string): number | null {
  const nano = amount(text);
  return nano === null ? null : Number(plainUsd(nano));
}

/** For the operations that gateways' scripts use, in USD. */
export const gatewayLimits = (values: LimitValues) => ({
  max_budget: usd(values.budget),
  budget_duration: durationOf(windowOf(values)),
  soft_budget: usd(values.softBudget),
  rpm_limit: count(values.rpmLimit),
  tpm_limit: count(values.tpmLimit),
  max_parallel_requests: count(values.parallelLimit),
});

/** All that a dialog holds. */
export type AllowedValues = LimitValues & { models: string[]; budgetId: string };

export const allowedValues = (allowed: Allowed): AllowedValues => ({
  ...limitValues(allowed),
  models: [...allowed.models],
  budgetId: allowed.budgetId ?? "",
});

/** Who has a budget under a name has no limits beside it. */
export const platformAllowed = ({ models, budgetId, ...limits }: AllowedValues) =>
  budgetId === "" ? { models, budgetId: null, ...platformLimits(limits) } : { models, budgetId };

export const gatewayAllowed = ({ models, budgetId, ...limits }: AllowedValues) =>
  budgetId === "" ? { models, budget_id: null, ...gatewayLimits(limits) } : { models, budget_id: budgetId };

const isAmount = (text: string): string | null =>
  text.trim() === "" || parseUsd(text) !== null
    ? null
    : "An amount in USD with at most nine decimals, such as 20 or 0.5.";

export const validateLimits = { budget: isAmount, softBudget: isAmount };
