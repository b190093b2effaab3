import type { CallerBudget, KeyCaller, Standing } from "../../contract/caller.ts";
import type { Pot } from "../../ledger/books.ts";
import { budgetPot, subjectOf, zoneOf } from "../../ledger/budget-pot.ts";
import { BudgetWindows, type Window } from "../../ledger/budget-window.ts";

const NONE: readonly Pot[] = [];

/** Not only until it ends: a clock that was ahead is set back, into the window before. */
const isIn = ({ startMs, endMs }: Window, nowMs: number): boolean => nowMs >= startMs && nowMs < endMs;

/** What a call draws on: the wallet of a prepaid organization, then its budgets, the widest first. */
export class Pots {
  private readonly windows = new BudgetWindows();
  private readonly wallets = new WeakMap<Standing, readonly Pot[]>();
  private readonly lists = new WeakMap<KeyCaller, Window & { readonly pots: readonly Pot[] }>();
  private readonly budgets = new WeakMap<CallerBudget, Window & { readonly pot: Pot }>();

  of(caller: KeyCaller, nowMs: number): readonly Pot[] {
    const { standing, budgets } = caller;
    if (!standing) return NONE;
    const wallet = standing.prepaid ? this.wallet(standing) : NONE;
    // Most callers have no budget: they share one list.
    if (budgets.length === 0) return wallet;
    const known = this.lists.get(caller);
    if (known && isIn(known, nowMs)) return known.pots;
    const windows = budgets.map((budget) => this.budget(budget, standing, nowMs));
    const pots = [...wallet, ...windows.map(({ pot }) => pot)];
    const startMs = Math.max(...windows.map((window) => window.startMs));
    const endMs = Math.min(...windows.map((window) => window.endMs));
    this.lists.set(caller, { pots, startMs, endMs });
    return pots;
  }

  private wallet(standing: Standing): readonly Pot[] {
    const known = this.wallets.get(standing);
    if (known) return known;
    const { organizationId } = standing;
    const pots = [{ id: `wallet:${organizationId}`, organizationId, limit: null }];
    this.wallets.set(standing, pots);
    return pots;
  }

  private budget(
    budget: CallerBudget,
    { organizationId, timezone }: Standing,
    nowMs: number,
  ): Window & { readonly pot: Pot } {
    const known = this.budgets.get(budget);
    if (known && isIn(known, nowMs)) return known;
    const { scope, window, waived } = budget;
    const { startMs, endMs } = this.windows.at(window, zoneOf(scope, timezone), nowMs);
    const id = budgetPot(subjectOf(scope, budget.id), startMs);
    // The books count all that was spent, so what does not count is allowed on top.
    const limit = budget.limit + (waived?.windowAt === startMs ? waived.amount : 0n);
    const found = { pot: { id, organizationId, limit, endMs }, startMs, endMs };
    this.budgets.set(budget, found);
    return found;
  }
}

const ids = new WeakMap<readonly Pot[], readonly string[]>();

/** One list of names for each list of pots: calls that draw on the same share it. */
export function potIds(pots: readonly Pot[]): readonly string[] {
  const known = ids.get(pots);
  if (known) return known;
  const made = pots.map(({ id }) => id);
  ids.set(pots, made);
  return made;
}
