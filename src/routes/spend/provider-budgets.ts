import { ProviderBudgets } from "../../contract/spend.ts";
import { isoTime } from "../../contract/users.ts";
import type { BudgetOwner } from "../../gateway/routing/upstream-budget.ts";
import { json } from "../../http/reply.ts";
import { route } from "../../http/route.ts";
import type { SpendDeps } from "./spend-deps.ts";
import { usd } from "./usd.ts";

/** What may be spent at providers and under tags, for the operator. */
export const providerBudgets = ({ budgets, usage: { clock } }: Pick<SpendDeps, "budgets" | "usage">) =>
  route({
    method: "GET",
    paths: ["/provider/budgets"],
    tag: "Spend",
    summary: "Tell how the budgets of providers and tags stand",
    description:
      "Those of `provider_budget_config` and `tag_budget_config`; deployments tell of their own at /api/admin/deployments.",
    auth: "admin",
    success: ProviderBudgets,
    errors: [],
    handle() {
      const nowMs = clock.nowMs();
      const all = budgets.list();
      const standing = (owner: BudgetOwner) =>
        Object.fromEntries(
          all
            .filter(({ of }) => of === owner)
            .map((budget) => [
              budget.name,
              {
                budget_limit: usd(budget.terms.limit),
                time_period: budget.terms.period,
                spend: usd(budget.spentAt(nowMs)),
                budget_reset_at: isoTime(budget.windowAt(nowMs).endMs),
              },
            ]),
        );
      return json({ providers: standing("provider"), tags: standing("tag") });
    },
  });
