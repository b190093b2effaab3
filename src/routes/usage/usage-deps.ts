import type { Keys } from "../../accounts/keys.ts";
import type { AccountStores } from "../../accounts/store.ts";
import type { Clock } from "../../lib/clock.ts";
import type { UsageStore } from "../../usage/store.ts";

export interface UsageRouteDeps {
  readonly stores: AccountStores;
  readonly keys: Keys;
  readonly usage: UsageStore;
  readonly clock: Clock;
}
