import type { AdminCaller } from "../contract/caller.ts";
import { GatewayError } from "../contract/errors.ts";
import type { Clock } from "../lib/clock.ts";
import { newId } from "../lib/ids.ts";
import { type Actor, type ChangeNote, change } from "./change.ts";
import { requireFittingChange } from "./fitting-budgets.ts";
import { type LimitSettings, type PartSettings, plainAmounts, readLimits, readParts } from "./limit-settings.ts";
import { NO_LIMITS } from "./no-limits.ts";
import type { Budget } from "./records.ts";
import type { AccountStores, Page, Paged } from "./store.ts";

export interface BudgetDeps {
  readonly stores: AccountStores;
  readonly clock: Clock;
  /** Any key may have had the budget's limits. */
  readonly forgetAll: () => void;
}

export type BudgetSettings = Omit<LimitSettings, "budgetId"> & PartSettings;

interface BudgetActor extends Actor {
  readonly caller: AdminCaller;
}

/** The operator's budgets: limits under a name. Whoever has one holds its limits as their own, each for itself. */
export class Budgets {
  constructor(private readonly deps: BudgetDeps) {}

  async get(id: string): Promise<Budget> {
    return (await this.deps.stores.budgets.find(id)) ?? missing();
  }

  list(page: Page): Promise<Paged<Budget>> {
    return this.deps.stores.budgets.list(page);
  }

  create(actor: BudgetActor, id: string | null, settings: BudgetSettings): Promise<Budget> {
    const { stores, clock } = this.deps;
    const now = clock.nowMs();
    const blank: Budget = {
      id: id ?? newId(),
      organizationId: null,
      ...NO_LIMITS,
      modelLimits: {},
      furtherBudgets: [],
      createdAt: now,
      updatedAt: now,
    };
    const budget = { ...blank, ...readChanges(settings, blank) };
    return change(
      stores,
      clock,
      actor,
      async (tx) => {
        if (await tx.budgets.find(budget.id)) {
          throw new GatewayError("conflict", "budget_id: there is a budget of this name.", { param: "budget_id" });
        }
        await tx.budgets.insert(budget);
        return budget;
      },
      () => noteOf("budget.create", budget, plainAmounts(readChanges(settings, blank))),
    );
  }

  /** All that have the budget get its new limits in the same moment. */
  async update(actor: BudgetActor, id: string, settings: BudgetSettings): Promise<Budget> {
    const { stores, clock } = this.deps;
    try {
      return await change(
        stores,
        clock,
        actor,
        async (tx) => {
          const before = (await tx.budgets.lock(id)) ?? missing();
          const changes = readChanges(settings, before);
          await requireFittingChange(changes, (owners) => tx.budgets.countUses(id, [owners]));
          const after = { ...before, ...changes, updatedAt: clock.nowMs() };
          await tx.budgets.update(id, after);
          await tx.budgets.spread(after);
          return after;
        },
        (after) => noteOf("budget.update", after, plainAmounts(settings)),
      );
    } finally {
      this.deps.forgetAll();
    }
  }

  /** Refused while somebody has it: they would be without limits from one moment to the next. */
  async remove(actor: BudgetActor, id: string): Promise<void> {
    await change(
      this.deps.stores,
      this.deps.clock,
      actor,
      async (tx) => {
        const budget = (await tx.budgets.lock(id)) ?? missing();
        const uses = await tx.budgets.countUses(id);
        if (uses > 0) {
          const who =
            uses === 1
              ? "One organization, team, user, end user or key"
              : `${uses} organizations, teams, users, end users and keys`;
          throw new GatewayError("conflict", `${who} still have this budget; take it from them first.`);
        }
        await tx.budgets.remove(id);
        return budget;
      },
      (budget) => noteOf("budget.remove", budget, {}),
    );
  }
}

function missing(): never {
  throw new GatewayError("not_found", "There is no such budget.");
}

const readChanges = (settings: BudgetSettings, { budget, budgetWindow }: Budget): Partial<Budget> => ({
  ...readLimits(settings, { budget, budgetWindow }, undefined),
  ...readParts(settings, {}, undefined),
});

const noteOf = (action: string, { id }: Budget, details: Readonly<Record<string, unknown>>): ChangeNote => ({
  action,
  organizationId: null,
  targetType: "budget",
  targetId: id,
  details,
});
