import { type Command, InvalidArgumentError, Option } from "commander";
import { parseBudgetWindow } from "../contract/duration.ts";
import { dollars } from "../contract/money.ts";
import { readLimit } from "./context.ts";
import { readUsd } from "./read-usd.ts";

/** `none`: the limit is taken away. The parser of flags makes an empty text of null, so null comes later. */
export type Limit = number | "none";

export interface LimitFlags {
  readonly budget?: Limit;
  readonly softBudget?: Limit;
  readonly budgetWindow?: string;
  readonly rpm?: Limit;
  readonly tpm?: Limit;
  readonly parallel?: Limit;
}

const orNone =
  (read: (text: string) => number) =>
  (text: string): Limit => {
    if (text === "none") return text;
    try {
      return read(text);
    } catch (thrown) {
      if (!(thrown instanceof InvalidArgumentError)) throw thrown;
      throw new InvalidArgumentError(`${thrown.message} The word none takes the limit away.`);
    }
  };
export const usdOrNone = orNone(readUsd);
export const orNull = (limit: Limit | undefined): number | null | undefined => (limit === "none" ? null : limit);

function readWindow(text: string): string {
  if (parseBudgetWindow(text) !== null) return text;
  throw new InvalidArgumentError("It must be hour, day, week, month, total or a duration such as 12h or 2w.");
}
export const budgetWindowOption = (): Option =>
  new Option(
    "--budget-window <window>",
    "set when the budget resets: hour, day, week, month, total or e.g. 12h",
  ).argParser(readWindow);

/** What somebody may spend and how fast; `none` takes a limit away. */
export const withLimits = (command: Command): Command =>
  command
    .option("--budget <usd>", "what may be spent, in USD, or none", usdOrNone)
    .option("--soft-budget <usd>", "the amount whose passing is told, or none", usdOrNone)
    .addOption(budgetWindowOption())
    .option("--rpm <number>", "requests per minute; 0 rejects all; none removes the limit", orNone(readLimit))
    .option("--tpm <number>", "tokens per minute; 0 rejects all; none removes the limit", orNone(readLimit))
    .option("--parallel <number>", "concurrent calls; 0 rejects all; none removes the limit", orNone(readLimit));

export const limitBody = ({ budget, softBudget, budgetWindow, rpm, tpm, parallel }: LimitFlags) => ({
  budget: orNull(budget),
  softBudget: orNull(softBudget),
  budgetWindow,
  rpmLimit: orNull(rpm),
  tpmLimit: orNull(tpm),
  parallelLimit: orNull(parallel),
});

interface Budget {
  readonly limit: number;
  readonly window: string;
  readonly spent?: number;
  readonly resetAt?: string | null;
}

function budgetText({ limit, window, spent, resetAt }: Budget): string {
  const used = spent === undefined ? "" : `, ${dollars(spent)} of it spent`;
  return `${dollars(limit)} (${window})${used}${resetAt ? `, anew at ${resetAt}` : ""}`;
}

interface Limited {
  readonly budget: Budget | null;
  readonly furtherBudgets?: readonly (Budget & { readonly model: string | null })[];
  readonly softBudget?: number | null;
  readonly rpmLimit: number | null;
  readonly tpmLimit: number | null;
  readonly parallelLimit?: number | null;
}

/** What was set and cannot do what it is for. */
export const limitRemarks = ({ budget, softBudget }: Limited): readonly string[] =>
  budget !== null && softBudget != null && softBudget > budget.limit
    ? ["The soft budget lies above the budget: calls are refused before it is ever passed."]
    : [];

/** The limits as people read them. */
export const limitFields = (record: Limited): Record<string, string | number | null> => ({
  Budget: record.budget === null ? null : budgetText(record.budget),
  "Further budgets":
    (record.furtherBudgets ?? [])
      .map((budget) => `${budgetText(budget)}${budget.model === null ? "" : ` of ${budget.model}`}`)
      .join("; ") || null,
  "Soft budget": record.softBudget == null ? null : dollars(record.softBudget),
  "Requests a minute": record.rpmLimit,
  "Tokens a minute": record.tpmLimit,
  "Calls at one time": record.parallelLimit ?? null,
});
