import type { Kysely } from "kysely";
import { BUDGET_PERCENTS } from "../../billing/records.ts";
import { isoTime } from "../../contract/users.ts";
import { budgetPot, zoneOf } from "../../ledger/budget-credit.ts";
import { BudgetWindows } from "../../ledger/budget-window.ts";
import { tell, tellPerson } from "../billing/notices.ts";
import { jsonRows } from "../json-rows.ts";
import { statement } from "../statement.ts";
import type { StatementBatch } from "../statement-batch.ts";
import type { Tables } from "../tables.ts";
import { endOf } from "./budget-windows.ts";
import type { SetBudget } from "./find-budgets.ts";

type Spent = Pick<
  Tables["budgetSpend"],
  "pot" | "subject" | "spent" | "startsAt" | "endsAt" | "toldPercent" | "toldSoft"
>;

/**
 * Tells that a share of a budget, or a soft budget, was passed: once in a window, unless a raised limit brought it below
 * again. The rows were locked by who counted, so of two that race one sees the crossing.
 */
export async function watchBudgets(
  tx: Kysely<Tables>,
  budgets: readonly SetBudget[],
  counted: readonly Spent[],
  chosen: ReturnType<ChosenPercents>,
  now: number,
): Promise<void> {
  const bySubject = new Map(budgets.map((budget) => [budget.subject, budget]));
  const windows = new BudgetWindows();
  for (const row of counted) {
    const budget = bySubject.get(row.subject ?? "");
    // A window that is over, or that the budget does not go by any more, is no news.
    if (!budget || row.endsAt === null || row.endsAt <= now || !isMain(row) || !goesBy(windows, budget, row)) continue;
    const percents = (budget.budget !== null && chosen.get(budget.organizationId ?? "")) || BUDGET_PERCENTS;
    const told = { toldSoft: Boolean(row.toldSoft), toldPercent: Number(row.toldPercent) };
    const spent = row.spent - (row.startsAt === budget.waivedWindowAt ? budget.waivedBudget : 0n);
    await watch(tx, budget, percents, { ...row, ...told, spent }, now);
  }
}

/** Notices are sent for the main budget of a subject. */
const isMain = ({ pot, subject, startsAt }: Spent): boolean => pot === budgetPot(subject ?? "", startsAt ?? 0);

/** All windows that were ever opened are counted to their end: those of another length, and of another time zone, too. */
function goesBy(
  windows: BudgetWindows,
  { scope, timezone, budgetWindow }: SetBudget,
  { startsAt, endsAt }: Spent,
): boolean {
  if (startsAt === null) return false;
  const { startMs, endMs } = windows.at(budgetWindow ?? "total", zoneOf(scope, timezone ?? "UTC"), startsAt);
  return startMs === startsAt && endOf(endMs) === endsAt;
}

interface Watched extends Omit<Spent, "toldPercent" | "toldSoft"> {
  readonly toldPercent: number;
  readonly toldSoft: boolean;
}

async function watch(
  tx: Kysely<Tables>,
  budget: SetBudget,
  percents: readonly number[],
  row: Watched,
  now: number,
): Promise<void> {
  const { spent, toldPercent, toldSoft } = row;
  const percent = passed(spent, budget.budget, percents);
  const soft = budget.softBudget !== null && spent >= budget.softBudget;
  if (percent === toldPercent && soft === toldSoft) return;
  await tx
    .updateTable("budgetSpend")
    .set({ toldPercent: percent, toldSoft: soft })
    .where("pot", "=", row.pot)
    .execute();
  if (soft && !toldSoft)
    await say(tx, budget, row, { kind: "soft", percent: 100, limit: budget.softBudget ?? 0n }, now);
  if (percent > toldPercent) await say(tx, budget, row, { kind: "hard", percent, limit: budget.budget ?? 0n }, now);
}

/** The highest share that is reached, in percent; 0 for none. */
const passed = (spent: bigint, limit: bigint | null, percents: readonly number[]): number =>
  limit === null ? 0 : Math.max(0, ...percents.filter((percent) => spent * 100n >= limit * BigInt(percent)));

const NAME_COLUMNS = { id: "text" } as const;

/** By the organizations that have chosen for themselves. */
export type ChosenPercents = () => ReadonlyMap<string, readonly number[]>;

export function askForPercents(together: StatementBatch, budgets: readonly SetBudget[]): ChosenPercents {
  const ids = new Set(budgets.flatMap(({ organizationId }) => organizationId ?? []));
  if (ids.size === 0) return () => new Map();
  const names = [...ids].map((id) => ({ id }));
  const chosen = together.add(statement<{ organizationId: string; percents: string }>`
    select a.organization_id, a.percents
    from ${jsonRows(NAME_COLUMNS, names)} join budget_alerts a on a.organization_id = r.id`);
  return () =>
    new Map(chosen().map(({ organizationId, percents }) => [organizationId, JSON.parse(percents) as number[]]));
}

interface Crossing {
  readonly kind: "soft" | "hard";
  readonly percent: number;
  readonly limit: bigint;
}

async function say(
  tx: Kysely<Tables>,
  { scope, id, name, organizationId, budgetWindow }: SetBudget,
  { spent, endsAt }: Watched,
  { kind, percent, limit }: Crossing,
  atMs: number,
): Promise<void> {
  const window = budgetWindow ?? "total";
  const resetsAt = window === "total" || endsAt === null ? null : isoTime(endsAt);
  const amounts = { spent: String(spent), limit: String(limit) };
  const data = { scope, id, name, kind, percent, ...amounts, window, resetsAt };
  // What somebody spends in all is theirs to know: they may work in organizations that know nothing of each other.
  if (organizationId === null) await tellPerson(tx, { type: "budget.threshold", userId: Number(id), data, atMs });
  else await tell(tx, { type: "budget.threshold", organizationId, data, atMs });
}
