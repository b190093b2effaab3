import { BUDGET_DURATIONS, calendarWindow } from "../contract/duration.ts";
import { BUDGET_USD_MAX, nanoUsd } from "../contract/money.ts";
import { PROVIDER_IDS } from "../contract/provider-ids.ts";
import { keyTable } from "./keys/key-table.ts";
import type { UpstreamBudgetTerms } from "./router-config.ts";
import { shown } from "./secrets.ts";
import { Section } from "./section.ts";
import { didYouMean } from "./suggest.ts";
import { childPath, type Entry } from "./tree.ts";

const BUDGET = keyTable({ served: "budget_limit time_period" });
const KNOWN: ReadonlySet<string> = new Set(PROVIDER_IDS);

/** What may be spent at each provider in each period. */
export function readProviderBudgets(router: Section): Readonly<Record<string, UpstreamBudgetTerms>> {
  const written = router.map("provider_budget_config");
  if (written === null) return {};
  const budgets = [...written.node.entries].flatMap(([provider, entry]) => {
    const terms = readBudget(router, provider, entry, childPath(written.path, provider));
    return terms === null ? [] : [[provider, terms] as const];
  });
  return Object.fromEntries(budgets);
}

function readBudget(router: Section, provider: string, entry: Entry, path: string): UpstreamBudgetTerms | null {
  if (!KNOWN.has(provider)) {
    const message = `unknown provider \`${shown(provider)}\`${didYouMean(provider, PROVIDER_IDS)}`;
    router.scope.report.fault(entry.keyAt, path, message);
  }
  const budget = new Section(router.scope).add(entry.value, path, "provider_budget_config", BUDGET);
  if (entry.value.kind === "map") {
    budget.require("budget_limit", entry.value.at, path, "; it says how many USD may be spent");
    budget.require("time_period", entry.value.at, path, "; it says after what time the spending begins anew");
  }
  const limit = budget.number("budget_limit", { max: BUDGET_USD_MAX });
  const period = budget.text("time_period");
  const window = period === null ? null : calendarWindow(period);
  if (period !== null && window === null) budget.fault("time_period", `possible are ${BUDGET_DURATIONS}`);
  return limit === null || period === null || window === null ? null : { limit: nanoUsd(limit), period, window };
}
