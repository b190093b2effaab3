import type { GatewayDeps } from "../../gateway/deps.ts";
import type { UsageRouteDeps } from "../usage/usage-deps.ts";

export interface SpendDeps {
  readonly usage: UsageRouteDeps;
  readonly gateway: GatewayDeps;
}
