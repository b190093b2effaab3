import type { AccountStores } from "../../accounts/store.ts";
import type { LedgerStore } from "../../ledger/store.ts";

export interface BillingDeps {
  readonly stores: AccountStores;
  readonly ledger: LedgerStore;
}
