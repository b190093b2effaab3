import type { Clock } from "../lib/clock.ts";
import type { KeptSpend, UsageStore } from "./store.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
const BATCH = 500;
/** Of one look; what is left waits for the next. */
const BATCHES_MAX = 400;

export interface RetentionDeps {
  readonly usage: Pick<UsageStore, "removeBefore" | "listRetentions">;
  readonly clock: Clock;
  /** For how long calls are kept that nobody else has a rule for; null for ever. */
  readonly days: () => number | null;
  readonly kept: () => KeptSpend;
}

/**
 * Takes calls out of the log whose time is over: the installation's, or the shorter one of their organization. Sums and the
 * ledger stay, so that what was spent can still be told and checked. Gives how many went.
 */
export async function removeOldCalls({ usage, clock, days, kept }: RetentionDeps): Promise<number> {
  const now = clock.nowMs();
  const everybody = days();
  const rules = [
    ...(everybody === null ? [] : [{ organizationId: null, days: everybody }]),
    ...(await usage.listRetentions()),
  ];
  let removed = 0;
  let batches = 0;
  for (const rule of rules) {
    for (let last = BATCH; last === BATCH && batches < BATCHES_MAX; batches++) {
      last = await usage.removeBefore(now - rule.days * DAY_MS, rule.organizationId, BATCH, kept());
      removed += last;
    }
  }
  return removed;
}
