import type { Static } from "typebox";
import type { SeenKey } from "../../accounts/keys.ts";
import type { FurtherBudget } from "../../accounts/records.ts";
import type { AccountStores } from "../../accounts/store.ts";
import type { SpentFurtherBudgets } from "../../contract/limits.ts";
import { isoTimeOrNull } from "../../contract/users.ts";
import { subjectOf } from "../../ledger/budget-credit.ts";
import type { BudgetSpending } from "../../ledger/budget-spending.ts";
import { windowAt } from "../../ledger/budget-window.ts";
import type { Clock } from "../../lib/clock.ts";
import type { UsageStore } from "../../usage/store.ts";

export interface KeySpendingDeps {
  readonly usage: Pick<UsageStore, "spendOfKeys">;
  readonly spending: BudgetSpending;
  readonly stores: Pick<AccountStores, "organizations">;
  readonly clock: Clock;
}

/** An owner of further budgets, and the time zone that their windows follow. */
interface FurtherOwner {
  readonly subject: string;
  readonly zone: string;
  readonly budgets: readonly FurtherBudget[];
}

/** Further budgets of several owners with their spend in the current window, in the order of the owners. */
export async function furtherSpending(
  { spending, clock }: Pick<KeySpendingDeps, "spending" | "clock">,
  owners: readonly FurtherOwner[],
): Promise<readonly Static<typeof SpentFurtherBudgets>[]> {
  const nowMs = clock.nowMs();
  const windows = owners.map(({ subject, zone, budgets }) =>
    budgets.map(({ model, window }) => ({ subject, model, ...windowAt(window, zone, nowMs) })),
  );
  const all = windows.flat();
  const spent = all.length === 0 ? [] : await spending.spent(all);
  let next = 0;
  return owners.map(({ budgets }, owner) =>
    budgets.map((budget, index) => {
      const endMs = windows[owner]?.[index]?.endMs ?? Number.POSITIVE_INFINITY;
      const resetAt = isoTimeOrNull(Number.isFinite(endMs) ? endMs : null);
      return { ...budget, spent: Number(spent[next++] ?? 0n), resetAt };
    }),
  );
}

/** What a key has spent, without what was taken off by hand: ever, and in the present window of its budget. */
export interface KeySpending {
  readonly spend: bigint;
  readonly spentInWindow: bigint;
  /** When the window began; 0 for one that never ends. */
  readonly windowAt: number;
  /** When the window ends; null for one that never does, and for a key without a budget. */
  readonly resetAt: number | null;
  /** The time zone that its windows follow. */
  readonly zone: string;
  readonly further: Static<typeof SpentFurtherBudgets>;
}

/** Of many keys at once, in their order. */
export async function spendingOf(deps: KeySpendingDeps, seen: readonly SeenKey[]): Promise<readonly KeySpending[]> {
  const { usage, spending, clock } = deps;
  const zones = await zonesOf(
    deps.stores,
    seen.map(({ organizationId }) => organizationId),
  );
  const windows = seen.map(({ key, organizationId }) => {
    const kind = key.budgetWindow ?? "total";
    const zone = zones.get(organizationId) ?? "UTC";
    return { kind, zone, ...windowAt(kind, zone, clock.nowMs()) };
  });
  const limited = seen.flatMap(({ key }, at) => {
    const window = windows[at];
    if (!window || window.kind === "total") return [];
    return [{ subject: subjectOf("key", key.id), startMs: window.startMs, endMs: window.endMs }];
  });
  const owners = seen.map(({ key }, at) => ({
    subject: subjectOf("key", key.id),
    zone: windows[at]?.zone ?? "UTC",
    budgets: key.furtherBudgets,
  }));
  const [ever, inWindows, further] = await Promise.all([
    usage.spendOfKeys(seen.map(({ key }) => key.id)),
    spending.spent(limited),
    furtherSpending(deps, owners),
  ]);
  const bySubject = new Map(limited.map(({ subject }, at) => [subject, inWindows[at] ?? 0n]));
  return seen.map(({ key }, at) => {
    const all = ever.get(key.id)?.cost ?? 0n;
    const window = windows[at];
    const windowAt = window?.startMs ?? 0;
    const resetAt = window && window.kind !== "total" ? window.endMs : null;
    const inWindow = bySubject.get(subjectOf("key", key.id)) ?? all;
    const waived = key.waivedWindowAt === windowAt ? key.waivedBudget : 0n;
    return {
      spend: all - key.waivedSpend,
      spentInWindow: inWindow - waived,
      windowAt,
      resetAt,
      zone: window?.zone ?? "UTC",
      further: further[at] ?? [],
    };
  });
}

/** The time zones of organizations, by their ids. */
export async function zonesOf(
  stores: KeySpendingDeps["stores"],
  organizationIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const found = await Promise.all([...new Set(organizationIds)].map((id) => stores.organizations.find(id)));
  return new Map(found.flatMap((organization) => (organization ? [[organization.id, organization.timezone]] : [])));
}
