import { type CountedCall, countedOf, type UsageRecord } from "../contract/usage.ts";
import { usageRow } from "../contract/usage-row.ts";

/** A call whose cost is known, and the pots that it draws on. */
export interface EndedCall {
  readonly record: CountedCall;
  readonly creditSources: readonly string[];
  /** The record as the log takes it. */
  readonly row: string;
}

/**
 * What is kept of a call until it is settled: of a busy process every young collection finds a thousand of them alive.
 */
export const endedCall = (record: UsageRecord, creditSources: readonly string[]): EndedCall => ({
  record: countedOf(record),
  creditSources,
  row: usageRow(record),
});

export interface SettleOutcome {
  /** How many of the calls were new; the others had been settled before and changed nothing. */
  readonly settled: number;
  /** The owner's leases afterwards, for every pot of the calls. */
  readonly leases: ReadonlyMap<string, bigint>;
  readonly changedTeams: readonly string[];
}

export interface LeftOutcome extends SettleOutcome {
  /** How many of the calls were left out. */
  readonly forgotten: number;
}

/** `storage/` implements it; it may throw `database`. */
export interface SettleStore {
  /** All calls in one transaction: usage rows, entries, balances, leases, budgets, sums, standing. Each id counts once. */
  settle(owner: string, calls: readonly EndedCall[], now: number): Promise<SettleOutcome>;
  /**
   * The same of calls that a process has left behind. What the log has no longer is not told apart from what it never had,
   * so calls from before it begins are left out: they may have been charged when they ended.
   */
  settleRecovered(owner: string, calls: readonly EndedCall[], now: number): Promise<LeftOutcome>;
}

/** What calls cost by pot. Calls without an organization are nobody's. */
export function costsByPot(calls: readonly EndedCall[]): Map<string, bigint> {
  // Calls that draw on the same share one list: what they cost is added up once, not for each of its pots.
  const byList = new Map<readonly string[], bigint>();
  for (const { record, creditSources } of calls)
    byList.set(creditSources, (byList.get(creditSources) ?? 0n) + record.cost);
  const costs = new Map<string, bigint>();
  for (const [creditSources, cost] of byList) {
    for (const pot of creditSources) costs.set(pot, (costs.get(pot) ?? 0n) + cost);
  }
  return costs;
}
