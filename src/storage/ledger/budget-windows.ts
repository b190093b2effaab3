import type { Kysely } from "kysely";
import type { BudgetScope } from "../../ledger/budget-credit.ts";
import { isOfQuarters } from "../../ledger/budget-window.ts";
import { isSqlite, jsonRows } from "../json-rows.ts";
import { SqlText, statement } from "../statement.ts";
import type { Tables } from "../tables.ts";

/** What is counted of a subject from one moment to another. */
export interface SpendWindow {
  readonly pot: string;
  readonly subject: string;
  /** Only calls of this model count; null: of any. */
  readonly model?: string | null;
  readonly organizationId: string | null;
  readonly startsAt: number;
  readonly endsAt: number;
  /** What calls cost that are in the log, and that whoever opens the window adds next. */
  readonly uncounted?: bigint;
}

/** The last moment that a date can be: a window that never ends has to end somewhere in a column. */
const LAST_MOMENT = 8_640_000_000_000_000;

export const endOf = (endMs: number): number => Math.min(endMs, LAST_MOMENT);

/**
 * Makes sure that windows are counted. One that is new, or whose end was changed, begins with what the sums have of it: a
 * budget that is set in the middle of a month counts the whole month. Rows are locked before the sums are read, and settling
 * locks them before it adds to the sums; so none is counted twice, and none is missed where the row was there.
 */
export async function openWindows(tx: Kysely<Tables>, windows: readonly SpendWindow[], now: number): Promise<void> {
  if (windows.length === 0) return;
  const rows = windows
    .map(({ pot, subject, model = null, organizationId, startsAt, endsAt }) => ({
      pot,
      organization_id: organizationId,
      subject,
      model,
      starts_at: startsAt,
      ends_at: endsAt,
    }))
    .sort((a, b) => (a.pot < b.pot ? -1 : 1));
  const { rows: made } = await statement<{ pot: string }>`
    insert into budget_spend (pot, organization_id, spent, updated_at, subject, model, starts_at, ends_at)
    select pot, organization_id, 0, ${now}, subject, model, starts_at, ends_at from ${jsonRows(COLUMNS, rows)}
    where true order by pot on conflict (pot) do nothing returning pot`.execute(tx);
  const { rows: changed } = await statement<{ pot: string }>`
    select b.pot from budget_spend b join ${jsonRows(COLUMNS, rows)} on r.pot = b.pot
    where b.ends_at is null or b.ends_at <> r.ends_at order by b.pot
    ${lockOf(tx)}`.execute(tx);
  if (made.length > 0) await removeEnded(tx, windows, now);
  const stale = new Set([...made, ...changed].map(({ pot }) => pot));
  const open = windows.filter(({ pot }) => stale.has(pot));
  if (open.length === 0) return;
  const sums = await spentIn(tx, open);
  const begun = open.map(({ pot, subject, startsAt, endsAt, uncounted = 0n }, index) => {
    const spent = (sums[index] ?? 0n) - uncounted;
    return { pot, subject, starts_at: startsAt, ends_at: endsAt, spent };
  });
  await statement`
    update budget_spend set subject = r.subject, starts_at = r.starts_at, ends_at = r.ends_at, spent = r.spent
    from ${jsonRows(BEGUN_COLUMNS, begun)} where budget_spend.pot = r.pot`.execute(tx);
}

const SHORT_MS = 3_600_000;
const REMOVED_AFTER_MS = 86_400_000;

/** Windows of seconds or minutes would be thousands of rows per day. No call of a window this old is still open. */
async function removeEnded(tx: Kysely<Tables>, opened: readonly SpendWindow[], now: number): Promise<void> {
  const short = opened.filter(({ startsAt, endsAt }) => endsAt - startsAt < SHORT_MS);
  if (short.length === 0) return;
  const rows = Array.from(new Set(short.map(({ subject }) => subject)), (subject) => ({ subject }));
  await statement`
    delete from budget_spend where ends_at < ${now - REMOVED_AFTER_MS} and ends_at - starts_at < ${SHORT_MS}
      and subject in (select subject from ${jsonRows(SUBJECT_COLUMNS, rows)})`.execute(tx);
}

/** At the end of a statement that reads `budget_spend b`; SQLite has one writer at a time anyway. */
export const lockOf = (tx: Kysely<Tables>): SqlText => (isSqlite(tx) ? NO_LOCK : LOCK);
const NO_LOCK = new SqlText("");
const LOCK = new SqlText("for update of b");
const COLUMNS = {
  pot: "text",
  organization_id: "text",
  subject: "text",
  model: "text",
  starts_at: "bigint",
  ends_at: "bigint",
} as const;
const SUBJECT_COLUMNS = { subject: "text" } as const;
const BEGUN_COLUMNS = {
  pot: "text",
  subject: "text",
  starts_at: "bigint",
  ends_at: "bigint",
  spent: "bigint",
} as const;

/** Which calls count for a subject, by its row. Calls without an organization count for none. */
const OWNED: Readonly<Record<BudgetScope, string>> = {
  organization: "q.organization_id = r.whose",
  team: "q.team_id = r.whose and q.organization_id <> ''",
  key: "q.key_id = r.whose and q.organization_id <> ''",
  user: "q.user_id = r.person and q.organization_id <> ''",
  member: "q.team_id = r.whose and q.user_id = r.person and q.organization_id <> ''",
  end_user: "q.organization_id = r.whose and q.end_user = r.named",
};
const callsIn = (table: string, further = ""): Readonly<Record<BudgetScope, SqlText>> =>
  Object.fromEntries(
    Object.entries(OWNED).map(([scope, owned]) => [scope, new SqlText(`${table} q where ${owned}${further}`)]),
  ) as Record<BudgetScope, SqlText>;
const OF_MODEL = " and q.model = r.model";
const CALLS_IN = { sums: callsIn("usage_quarters"), log: callsIn("usage_log") };
const CALLS_OF_MODEL_IN = { sums: callsIn("usage_quarters", OF_MODEL), log: callsIn("usage_log", OF_MODEL) };

/** The sums have neither end users nor parts of a quarter of an hour. */
export const isInSums = (scope: string, { startsAt, endsAt }: Pick<SpendWindow, "startsAt" | "endsAt">): boolean =>
  scope !== "end_user" && isOfQuarters({ startMs: startsAt, endMs: endsAt });
const WINDOW_COLUMNS = {
  place: "integer",
  whose: "text",
  named: "text",
  person: "integer",
  model: "text",
  starts_at: "bigint",
  ends_at: "bigint",
} as const;

/**
 * What the sums have of each window, in the order of the windows: one question for all of a kind, since at midnight those of
 * all keys begin. Asked one by one, a key's first call of the day took a millisecond.
 */
export async function spentIn(
  db: Kysely<Tables>,
  windows: readonly Pick<SpendWindow, "subject" | "model" | "startsAt" | "endsAt">[],
): Promise<readonly bigint[]> {
  const sums = windows.map(() => 0n);
  const rows = windows.map((window, place) => {
    const [scope, id] = cut(window.subject, ":");
    const { model = null, startsAt: starts_at, endsAt: ends_at } = window;
    const tables = model === null ? CALLS_IN : CALLS_OF_MODEL_IN;
    const calls = tables[isInSums(scope, window) ? "sums" : "log"][scope as BudgetScope];
    return { ...ownerOf(scope as BudgetScope, id), calls, place, model, starts_at, ends_at };
  });
  for (const [calls, some] of Map.groupBy(rows, (row) => row.calls)) {
    const found = await statement<{ place: number | bigint; spent: bigint }>`
      select r.place, (select coalesce(sum(q.cost), 0) from ${calls}
        and q.at >= r.starts_at and q.at < r.ends_at) as spent
      from ${jsonRows(WINDOW_COLUMNS, some)}`.execute(db);
    for (const { place, spent } of found.rows) sums[Number(place)] = spent;
  }
  return sums;
}

function ownerOf(scope: BudgetScope, id: string) {
  if (scope === "user") return { whose: null, named: null, person: Number(id) };
  const [first, second] = cut(id, "/");
  if (scope === "member") return { whose: first, named: null, person: Number(second) };
  if (scope === "end_user") return { whose: first, named: second, person: null };
  return { whose: id, named: null, person: null };
}

function cut(text: string, mark: string): readonly [string, string] {
  const at = text.indexOf(mark);
  return at < 0 ? [text, ""] : [text.slice(0, at), text.slice(at + 1)];
}
