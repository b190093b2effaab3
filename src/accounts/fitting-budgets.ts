import { GatewayError } from "../contract/errors.ts";
import type { Budget } from "./records.ts";
import type { BudgetOwners } from "./store.ts";

type Limits = Partial<Pick<Budget, "softBudget" | "modelLimits" | "furtherBudgets">>;

/** What not everybody who can have a budget can be limited by: it would stand in the budget and hold for nobody. */
const PARTS: readonly {
  readonly what: string;
  readonly lacking: readonly BudgetOwners[];
  readonly isIn: (limits: Limits) => boolean;
}[] = [
  {
    what: "limits of single models",
    lacking: ["organizations", "users", "endUsers"],
    isIn: ({ modelLimits }) => Object.keys(modelLimits ?? {}).length > 0,
  },
  {
    what: "several budgets or budgets of single models",
    lacking: ["organizations", "endUsers"],
    isIn: ({ furtherBudgets }) => (furtherBudgets ?? []).length > 0,
  },
  { what: "a soft budget", lacking: ["users"], isIn: ({ softBudget }) => softBudget != null },
];

const NAMES: Readonly<Record<BudgetOwners, string>> = {
  organizations: "organizations",
  teams: "teams",
  users: "users",
  endUsers: "end users",
  apiKeys: "keys",
};

/** To be asked where somebody is given a budget. */
export function requireFitting(budget: Budget | null | undefined, owners: BudgetOwners): void {
  const part = budget && PARTS.find(({ lacking, isIn }) => lacking.includes(owners) && isIn(budget));
  if (!part) return;
  const reason = `the budget has ${part.what}, and ${NAMES[owners]} have none; give them another one.`;
  throw new GatewayError("invalid_request", `budgetId: ${reason}`, { param: "budgetId" });
}

/** To be asked where a budget changes: whether somebody has it who cannot be limited so. */
export async function requireFittingChange(
  changes: Limits,
  countUses: (owners: BudgetOwners) => Promise<number>,
): Promise<void> {
  for (const { what, lacking, isIn } of PARTS) {
    if (!isIn(changes)) continue;
    for (const owners of lacking) {
      if ((await countUses(owners)) === 0) continue;
      throw new GatewayError("conflict", `Some ${NAMES[owners]} have this budget, and cannot have ${what}.`);
    }
  }
}
