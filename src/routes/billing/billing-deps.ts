import type { AccountStores } from "../../accounts/store.ts";
import type { Alerts } from "../../billing/alerts.ts";
import type { AutoTopUps } from "../../billing/auto-top-up.ts";
import type { LedgerStore } from "../../ledger/store.ts";

export interface BillingDeps {
  readonly stores: AccountStores;
  readonly ledger: LedgerStore;
  readonly alerts: Alerts;
  readonly topUps: AutoTopUps;
}
