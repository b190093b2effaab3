import type { Clock } from "../lib/clock.ts";
import type { Logger } from "../lib/log.ts";
import type { BillingStores } from "./store.ts";

/** So long before its end a key is told about. */
const AHEAD_MS = 7 * 24 * 60 * 60_000;
const EVERY_MS = 10 * 60_000;

/** Tells organizations of keys that are about to end, now and then. Never throws. */
export function tellOfExpiringKeys(stores: BillingStores, clock: Clock, log: Logger): () => Promise<void> {
  let nextAtMs = Number.NEGATIVE_INFINITY;
  return async () => {
    if (clock.monotonicMs() < nextAtMs) return;
    nextAtMs = clock.monotonicMs() + EVERY_MS;
    const now = clock.nowMs();
    await stores.notices
      .tellOfExpiring(now + AHEAD_MS, now)
      .catch((err: unknown) => log.error({ err }, "keys that end could not be told about; trying again later"));
  };
}
