import type { Route } from "../../http/route.ts";
import { balance } from "./balance.ts";
import type { BillingDeps } from "./billing-deps.ts";
import { listLedger } from "./list-ledger.ts";
import { quota } from "./quota.ts";

/** What an organization has, and how it came to it. */
export const billingRoutes = (deps: BillingDeps): Route[] => [balance(deps), quota(deps), listLedger(deps)];
