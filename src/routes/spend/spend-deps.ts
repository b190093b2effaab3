import type { GatewayDeps } from "../../gateway/call/gateway.ts";
import type { UpstreamBudgets } from "../../gateway/routing/upstream-budgets.ts";
import type { UsageRouteDeps } from "../usage/usage-deps.ts";

export interface SpendDeps {
  readonly usage: UsageRouteDeps;
  readonly gateway: GatewayDeps;
  readonly budgets: UpstreamBudgets;
}
