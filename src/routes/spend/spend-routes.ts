import type { Route } from "../../http/route.ts";
import { calculateSpend } from "./calculate.ts";
import { dailyActivity } from "./daily-activity.ts";
import { globalSpend } from "./global-spend.ts";
import { providerBudgets } from "./provider-budgets.ts";
import type { SpendDeps } from "./spend-deps.ts";
import { spendLogPages, spendLogs } from "./spend-logs.ts";

/** Spend under the names that programs of the gateway's users ask for it. */
export const spendRoutes = (deps: SpendDeps): Route[] => [
  spendLogs(deps),
  spendLogPages(deps),
  calculateSpend(deps.gateway),
  ...globalSpend(deps.usage),
  ...dailyActivity(deps.usage),
  providerBudgets(deps),
];
