import type { UpstreamBudgets } from "../../gateway/budgets/upstream-budgets.ts";
import type { GatewayDeps } from "../../gateway/deps.ts";
import type { UsageRouteDeps } from "../usage/usage-deps.ts";

export interface SpendDeps {
  readonly usage: UsageRouteDeps;
  readonly gateway: GatewayDeps;
  readonly budgets: UpstreamBudgets;
}
