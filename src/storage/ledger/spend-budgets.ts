import type { Kysely } from "kysely";
import { keptName } from "../../contract/usage-row.ts";
import { budgetPot, zoneOf } from "../../ledger/budget-credit.ts";
import { BudgetWindows } from "../../ledger/budget-window.ts";
import { isWallet } from "../../ledger/entry.ts";
import type { EndedCall } from "../../ledger/settle-store.ts";
import { JsonRows, jsonRows } from "../json-rows.ts";
import { statement } from "../statement.ts";
import { StatementBatch } from "../statement-batch.ts";
import type { Tables } from "../tables.ts";
import { endOf, isInSums, openWindows, type SpendWindow } from "./budget-windows.ts";
import { queueBudgets, type SetBudget, Subjects } from "./find-budgets.ts";
import { askForPercents, type ChosenPercents, watchBudgets } from "./watch-budgets.ts";

/** A window that calls count for. */
interface Counted extends Pick<Tables["budgetSpend"], "pot" | "subject" | "model" | "startsAt" | "endsAt"> {
  readonly organizationId: string | null;
}

/**
 * Counts calls for the budgets that they fall under, by when they came in. All windows that were ever opened go on
 * counting until they end, so that a budget that is taken away and set again has missed nothing.
 *
 * In three steps, so that each goes to the database together with what else a settlement asks.
 */
export class BudgetCount {
  private readonly subjects = new Subjects();
  private budgets: () => readonly SetBudget[] = () => [];
  private windows: () => readonly Counted[] = () => [];
  private counted: () => readonly Tables["budgetSpend"][] = () => [];
  private percents: ChosenPercents = () => new Map();

  /** Looks up the budgets and the windows of calls, some of which may turn out to be settled already. */
  askFor(together: StatementBatch, calls: readonly EndedCall[]): void {
    const charged = chargedOf(calls);
    if (charged.length === 0) return;
    for (const { record } of charged) this.subjects.of(record);
    this.budgets = queueBudgets(together, this.subjects.owners());
    this.windows = askForWindows(together, charged, this.subjects.all());
  }

  /** Counts the calls that are new. */
  async count(tx: Kysely<Tables>, together: StatementBatch, added: readonly EndedCall[], now: number): Promise<void> {
    const calls = chargedOf(added);
    if (calls.length === 0) return;
    const budgets = this.budgets();
    const costs = costsByWindow(calls, await this.openedWindows(tx, calls, now), this.subjects);
    const rows = [...costs]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([pot, { spent, organizationId }]) => ({ pot, organization_id: organizationId, spent, updated_at: now }));
    if (rows.length === 0) return;
    // In the order of the pots, so that two processes never wait for each other.
    this.counted = together.add(statement<Tables["budgetSpend"]>`
      insert into budget_spend (pot, organization_id, spent, updated_at)
      select pot, organization_id, spent, updated_at from ${jsonRows(ROW_COLUMNS, rows)} where true order by pot
      on conflict (pot) do update set spent = budget_spend.spent + excluded.spent, updated_at = excluded.updated_at
      returning pot, spent, subject, starts_at, ends_at, told_percent, told_soft`);
    if (budgets.length > 0) this.percents = askForPercents(together, budgets);
  }

  /** Tells whom it concerns what was passed. */
  async tell(tx: Kysely<Tables>, now: number): Promise<void> {
    const budgets = this.budgets();
    if (budgets.length > 0) await watchBudgets(tx, budgets, this.counted(), this.percents(), now);
  }

  /** Nearly always all windows are there. */
  private async openedWindows(
    tx: Kysely<Tables>,
    calls: readonly EndedCall[],
    now: number,
  ): Promise<readonly Counted[]> {
    const known = this.windows();
    const ends = new Map(known.map(({ pot, endsAt }) => [pot, endsAt]));
    const missing = windowsOf(this.budgets(), calls, this.subjects).filter(
      ({ pot, endsAt }) => ends.get(pot) !== endsAt,
    );
    if (missing.length === 0) return known;
    await openWindows(tx, missing, now);
    const together = new StatementBatch();
    const opened = askForWindows(together, calls, this.subjects.all());
    await together.run(tx);
    return opened();
  }
}

/** Calls that cost somebody something. */
const chargedOf = (calls: readonly EndedCall[]): readonly EndedCall[] =>
  calls.filter(({ record }) => record.organizationId !== null && record.cost > 0n);

const NAME_COLUMNS = { name: "text" } as const;
const ROW_COLUMNS = { pot: "text", organization_id: "text", spent: "bigint", updated_at: "bigint" } as const;

/** The windows of the budgets that are set now, at the times of the calls. */
function windowsOf(
  budgets: readonly SetBudget[],
  calls: readonly EndedCall[],
  subjects: Subjects,
): readonly SpendWindow[] {
  if (budgets.length === 0) return [];
  const bySubject = new Map(budgets.map((budget) => [budget.subject, budget]));
  const windows = new BudgetWindows();
  const found = new Map<string, SpendWindow>();
  for (const { record } of calls) {
    for (const subject of subjects.of(record)) {
      const budget = bySubject.get(subject);
      if (!budget) continue;
      const zone = zoneOf(budget.scope, budget.timezone ?? "UTC");
      const { startMs, endMs } = windows.at(budget.budgetWindow ?? "total", zone, record.at);
      const pot = budgetPot(subject, startMs);
      const { organizationId, scope } = budget;
      const endsAt = endOf(endMs);
      // The sums get the calls later than this, the log has them already.
      const uncounted = !isInSums(scope, { startsAt: startMs, endsAt })
        ? (found.get(pot)?.uncounted ?? 0n) + record.cost
        : 0n;
      found.set(pot, { pot, subject, organizationId, startsAt: startMs, endsAt, uncounted });
    }
  }
  return [...found.values()];
}

function askForWindows(
  together: StatementBatch,
  calls: readonly EndedCall[],
  subjects: ReadonlySet<string>,
): () => readonly Counted[] {
  // Calls that draw on the same share one list.
  const lists = new Set(calls.map(({ creditSources }) => creditSources));
  const creditSources = new Set([...lists].flat().filter((pot) => !isWallet(pot)));
  const earliest = calls.reduce((least, { record }) => Math.min(least, record.at), Number.POSITIVE_INFINITY);
  const names = (texts: ReadonlySet<string>) =>
    new JsonRows(
      NAME_COLUMNS,
      [...texts].map((name) => [name]),
    );
  return together.add(statement<Counted>`
    select b.pot, b.organization_id, b.subject, b.model, b.starts_at, b.ends_at
    from ${names(subjects)} join budget_spend b on b.subject = r.name and b.ends_at > ${earliest}
    union
    select b.pot, b.organization_id, b.subject, b.model, b.starts_at, b.ends_at
    from ${names(creditSources)} join budget_spend b on b.pot = r.name`);
}

interface Share {
  readonly organizationId: string | null;
  spent: bigint;
}

/** A window whose times are not known counts the calls that held something of it. */
function costsByWindow(
  calls: readonly EndedCall[],
  windows: readonly Counted[],
  subjects: Subjects,
): ReadonlyMap<string, Share> {
  const bySubject = Map.groupBy(
    windows.filter(({ subject }) => subject !== null),
    ({ subject }) => subject ?? "",
  );
  const timed = new Set(windows.filter(({ endsAt }) => endsAt !== null).map(({ pot }) => pot));
  // Most calls share both lists with many others.
  const windowsOf = once((list: readonly string[]) => list.flatMap((subject) => bySubject.get(subject) ?? []));
  const untimedOf = once((creditSources: readonly string[]) =>
    creditSources.filter((pot) => !(isWallet(pot) || timed.has(pot))),
  );
  const costs = new Map<string, Share>();
  const add = (pot: string, organizationId: string | null, cost: bigint): void => {
    const share = costs.get(pot) ?? { organizationId, spent: 0n };
    share.spent += cost;
    costs.set(pot, share);
  };
  for (const { record, creditSources } of calls) {
    for (const { pot, organizationId, model, startsAt, endsAt } of windowsOf(subjects.of(record))) {
      if (model !== null && model !== keptName(record.model ?? "")) continue;
      if (startsAt === null || endsAt === null || record.at < startsAt || record.at >= endsAt) continue;
      add(pot, organizationId, record.cost);
    }
    for (const pot of untimedOf(creditSources)) add(pot, record.organizationId, record.cost);
  }
  return costs;
}

/** What comes of a list, worked out once for it. */
function once<T>(work: (list: readonly string[]) => readonly T[]): (list: readonly string[]) => readonly T[] {
  const done = new Map<readonly string[], readonly T[]>();
  return (list) => {
    let known = done.get(list);
    if (known === undefined) {
      known = work(list);
      done.set(list, known);
    }
    return known;
  };
}
