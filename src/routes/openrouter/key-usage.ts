import type { SeenKey } from "../../accounts/keys.ts";
import { type BudgetWindow, durationOfWindow } from "../../contract/duration.ts";
import { isoTime, isoTimeOrNull } from "../../contract/users.ts";
import { wholeQuarters } from "../../usage/date-range.ts";
import type { UsageScope, UsageStore } from "../../usage/store.ts";
import { usdOf } from "../gateway-admin/wire-values.ts";
import { type KeySpendingDeps, spendingOf } from "../keys/key-spending.ts";
import { usd } from "../spend/usd.ts";

export interface KeyUsageDeps extends Omit<KeySpendingDeps, "usage"> {
  readonly usage: Pick<UsageStore, "spendOf" | "spendOfKeys" | "sum">;
}

const DAY_MS = 24 * 60 * 60 * 1000;
const RESETS: Readonly<Record<string, string | null>> = {
  hour: "hourly",
  day: "daily",
  week: "weekly",
  month: "monthly",
  total: null,
};
/** OpenRouter has no name for other windows: they are shown as the duration. */
const resetOf = (window: BudgetWindow): string | null => RESETS[window] ?? durationOfWindow(window);

/** There are no keys of providers that callers bring along and that would count apart. */
export const NO_OTHERS = {
  byok_usage: 0,
  byok_usage_daily: 0,
  byok_usage_weekly: 0,
  byok_usage_monthly: 0,
  include_byok_in_limit: false,
};

/** What was spent in the present day, week and month of UTC, by key. */
export async function recentUsage({ usage, clock }: KeyUsageDeps, scope: UsageScope) {
  const now = clock.nowMs();
  const day = now - (now % DAY_MS);
  const date = new Date(day);
  const starts = [
    day,
    day - ((date.getUTCDay() + 6) % 7) * DAY_MS,
    Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1),
  ];
  const sums = await Promise.all(
    starts.map(async (start) => {
      const groups = await usage.sum(scope, [wholeQuarters({ start, end: now + 1 })], ["keyId"]);
      return new Map(groups.map(({ values, sums }) => [values.keyId, sums.cost]));
    }),
  );
  return (keyId: string) => {
    const [daily = 0n, weekly = 0n, monthly = 0n] = sums.map((byKey) => byKey.get(keyId) ?? 0n);
    return { usage_daily: usd(daily), usage_weekly: usd(weekly), usage_monthly: usd(monthly) };
  };
}

/** Keys as OpenRouter shows them; `scope` is whatever has all of them. */
export async function keyViews(deps: KeyUsageDeps, seen: readonly SeenKey[], scope: UsageScope) {
  const [spending, recent] = await Promise.all([spendingOf(deps, seen), recentUsage(deps, scope)]);
  return seen.map(({ key, status }, at) => {
    const { spend = 0n, spentInWindow = 0n } = spending[at] ?? {};
    const left = key.budget === null ? null : key.budget - spentInWindow;
    return {
      hash: key.handle,
      name: key.name,
      label: `sk-...${key.last4}`,
      disabled: status === "disabled",
      limit: usdOf(key.budget),
      limit_remaining: left === null ? null : usd(left > 0n ? left : 0n),
      limit_reset: key.budget === null ? null : resetOf(key.budgetWindow ?? "total"),
      usage: usd(spend),
      ...recent(key.id),
      ...NO_OTHERS,
      workspace_id: key.teamId,
      creator_user_id: key.createdBy === null ? null : String(key.createdBy),
      created_at: isoTime(key.createdAt),
      updated_at: isoTime(key.updatedAt),
      expires_at: isoTimeOrNull(key.expiresAt),
    };
  });
}

export async function keyView(deps: KeyUsageDeps, seen: SeenKey) {
  const [view] = await keyViews(deps, [seen], { keyId: seen.key.id });
  if (!view) throw new Error("one key has one view");
  return view;
}
