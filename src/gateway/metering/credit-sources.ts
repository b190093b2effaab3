import type { CallerBudget, KeyCaller, Standing } from "../../contract/caller.ts";
import { keptName } from "../../contract/usage-row.ts";
import type { CreditSource } from "../../ledger/books.ts";
import { budgetPot, furtherSource, subjectOf, zoneOf } from "../../ledger/budget-credit.ts";
import { BudgetWindows, type Window } from "../../ledger/budget-window.ts";

const NONE: readonly CreditSource[] = [];

/** Not only until it ends: a clock that was ahead is set back, into the window before. */
const isIn = ({ startMs, endMs }: Window, nowMs: number): boolean => nowMs >= startMs && nowMs < endMs;

/** Credit sources of a caller by the models that a budget names; those of all other models are at "". */
interface CallerSources {
  readonly models: ReadonlySet<string>;
  readonly byModel: Map<string, Window & { readonly sources: readonly CreditSource[] }>;
}

const ANY_MODEL = "";

/** What a call draws on: the wallet of a prepaid organization, then its budgets, the widest first. */
export class Pots {
  private readonly windows = new BudgetWindows();
  private readonly wallets = new WeakMap<Standing, readonly CreditSource[]>();
  private readonly lists = new WeakMap<KeyCaller, CallerSources>();
  private readonly budgets = new WeakMap<CallerBudget, Window & { readonly pot: CreditSource }>();

  /** `model` is the group or the model that the call is logged under. */
  of(caller: KeyCaller, model: string, nowMs: number): readonly CreditSource[] {
    const { standing, budgets } = caller;
    if (!standing) return NONE;
    const wallet = standing.prepaid ? this.wallet(standing) : NONE;
    // Most callers have no budget: they share one list.
    if (budgets.length === 0) return wallet;
    const lists = this.listsOf(caller);
    const name = nameIn(lists, model);
    const known = lists.byModel.get(name);
    if (known && isIn(known, nowMs)) return known.sources;
    const windows = budgets
      .filter((budget) => budget.model === undefined || budget.model === name)
      .map((budget) => this.budget(budget, standing, nowMs));
    const sources = [...wallet, ...windows.map(({ pot }) => pot)];
    const startMs = Math.max(...windows.map((window) => window.startMs));
    const endMs = Math.min(...windows.map((window) => window.endMs));
    lists.byModel.set(name, { sources, startMs, endMs });
    return sources;
  }

  /** Whether calls of both models draw on the same budgets. */
  areAlike(caller: KeyCaller, model: string, other: string): boolean {
    if (model === other || caller.budgets.length === 0) return true;
    const lists = this.listsOf(caller);
    return nameIn(lists, model) === nameIn(lists, other);
  }

  private listsOf(caller: KeyCaller): CallerSources {
    let lists = this.lists.get(caller);
    if (lists === undefined) {
      const models = new Set(caller.budgets.flatMap(({ model }) => model ?? []));
      lists = { models, byModel: new Map() };
      this.lists.set(caller, lists);
    }
    return lists;
  }

  private wallet(standing: Standing): readonly CreditSource[] {
    const known = this.wallets.get(standing);
    if (known) return known;
    const { organizationId } = standing;
    const creditSources = [{ id: `wallet:${organizationId}`, organizationId, limit: null }];
    this.wallets.set(standing, creditSources);
    return creditSources;
  }

  private budget(
    budget: CallerBudget,
    { organizationId, timezone }: Standing,
    nowMs: number,
  ): Window & { readonly pot: CreditSource } {
    const known = this.budgets.get(budget);
    if (known && isIn(known, nowMs)) return known;
    const { scope, window, waived } = budget;
    const { startMs, endMs } = this.windows.at(window, zoneOf(scope, timezone), nowMs);
    const subject = subjectOf(scope, budget.id);
    const id = budget.isFurther ? furtherSource(subject, startMs, budget) : budgetPot(subject, startMs);
    // The books count all that was spent, so what does not count is allowed on top.
    const limit = budget.limit + (waived?.windowAt === startMs ? waived.amount : 0n);
    const found = { pot: { id, organizationId, limit, endMs }, startMs, endMs };
    this.budgets.set(budget, found);
    return found;
  }
}

function nameIn({ models }: CallerSources, model: string): string {
  if (models.size === 0) return ANY_MODEL;
  const name = keptName(model);
  return models.has(name) ? name : ANY_MODEL;
}

const ids = new WeakMap<readonly CreditSource[], readonly string[]>();

/** One list of names for each list of pots: calls that draw on the same share it. */
export function potIds(creditSources: readonly CreditSource[]): readonly string[] {
  const known = ids.get(creditSources);
  if (known) return known;
  const made = creditSources.map(({ id }) => id);
  ids.set(creditSources, made);
  return made;
}
