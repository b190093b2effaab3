import { UpstreamBudgets } from "../gateway/routing/upstream-budgets.ts";
import type { WatchedSeries } from "../http/metrics.ts";
import type { Clock } from "../lib/clock.ts";
import type { Logger } from "../lib/log.ts";
import { sleep } from "../lib/sleep.ts";
import type { Storage } from "../storage/open.ts";
import type { LiveConfig } from "./live-config.ts";

export interface Budgets {
  readonly budgets: UpstreamBudgets;
  readonly gauges: readonly WatchedSeries[];
  /** Compares what is known here with the books; called every few seconds. Never throws. */
  renew(): Promise<void>;
}

/** What may be spent at providers and deployments, and under tags. */
export function composeBudgets(
  live: LiveConfig,
  storage: Pick<Storage, "usage">,
  { clock, log, isAlone = false }: { readonly clock: Clock; readonly log: Logger; readonly isAlone?: boolean },
): Budgets {
  const budgets = new UpstreamBudgets({
    catalog: () => live.catalog,
    settings: () => live.config.router,
    costs: storage.usage,
    clock,
    isAlone,
    sleep,
  });
  let isKnown = true;
  return {
    budgets,
    gauges: budgetGauges(budgets, clock),
    async renew() {
      try {
        await budgets.renew();
        isKnown = true;
      } catch (err) {
        // While the database is away this would be a line every few seconds.
        if (isKnown) log.warn({ err }, "what other processes have spent of budgets is not known; trying again");
        isKnown = false;
      }
    },
  };
}

/** Workers of one server know the same, one a little later than the other. */
function budgetGauges(budgets: UpstreamBudgets, clock: Clock): readonly WatchedSeries[] {
  const each = (amount: (budget: ReturnType<UpstreamBudgets["list"]>[number]) => bigint) => () =>
    budgets.list().map((budget) => [{ of: budget.of, name: budget.name }, Number(amount(budget)) / 1e9] as const);
  const labels = ["of", "name"];
  return [
    {
      name: "turnpike_upstream_budget_usd",
      help: "What may be spent at a provider, a deployment or under a tag in its period.",
      read: each(({ terms }) => terms.limit),
      labels,
      over: "max",
    },
    {
      name: "turnpike_upstream_budget_spent_usd",
      help: "What of it is spent in the present period.",
      read: each((budget) => budget.spentAt(clock.nowMs())),
      labels,
      over: "max",
    },
  ];
}
