import type { Keys } from "../../accounts/keys.ts";
import type { KeySpendingDeps } from "./key-spending.ts";

export interface KeyRouteDeps extends KeySpendingDeps {
  readonly keys: Keys;
}
