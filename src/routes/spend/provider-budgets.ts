import { ProviderBudgets } from "../../contract/spend.ts";
import { isoTime } from "../../contract/users.ts";
import { json } from "../../http/reply.ts";
import { route } from "../../http/route.ts";
import type { SpendDeps } from "./spend-deps.ts";
import { usd } from "./usd.ts";

/** What may be spent at providers, for the operator. */
export const providerBudgets = ({ budgets, usage: { clock } }: Pick<SpendDeps, "budgets" | "usage">) =>
  route({
    method: "GET",
    paths: ["/provider/budgets"],
    tag: "Spend",
    summary: "Tell how the budgets of providers stand",
    description:
      "Those of `router_settings.provider_budget_config`; deployments tell of their own at /api/admin/deployments.",
    auth: "admin",
    success: ProviderBudgets,
    errors: [],
    handle() {
      const nowMs = clock.nowMs();
      const ofProviders = budgets.list().filter(({ of }) => of === "provider");
      const rows = ofProviders.map((budget) => [
        budget.name,
        {
          budget_limit: usd(budget.terms.limit),
          time_period: budget.terms.period,
          spend: usd(budget.spentAt(nowMs)),
          budget_reset_at: isoTime(budget.windowAt(nowMs).endMs),
        },
      ]);
      return json({ providers: Object.fromEntries(rows) });
    },
  });
