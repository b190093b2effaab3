import { type Kysely, sql } from "kysely";
import { isSqlite, jsonRows } from "../json-rows.ts";
import { SqlText, statement } from "../statement.ts";
import type { Tables } from "../tables.ts";

/** What is counted of a subject from one moment to another. */
export interface SpendWindow {
  readonly pot: string;
  readonly subject: string;
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
    .map(({ pot, subject, organizationId, startsAt, endsAt }) => ({
      pot,
      organization_id: organizationId,
      subject,
      starts_at: startsAt,
      ends_at: endsAt,
    }))
    .sort((a, b) => (a.pot < b.pot ? -1 : 1));
  const { rows: made } = await statement<{ pot: string }>`
    insert into budget_spend (pot, organization_id, spent, updated_at, subject, starts_at, ends_at)
    select pot, organization_id, 0, ${now}, subject, starts_at, ends_at from ${jsonRows(COLUMNS, rows)}
    where true order by pot on conflict (pot) do nothing returning pot`.execute(tx);
  const { rows: changed } = await statement<{ pot: string }>`
    select b.pot from budget_spend b join ${jsonRows(COLUMNS, rows)} on r.pot = b.pot
    where b.ends_at is null or b.ends_at <> r.ends_at order by b.pot
    ${isSqlite(tx) ? NO_LOCK : LOCK}`.execute(tx);
  const stale = new Set([...made, ...changed].map(({ pot }) => pot));
  for (const { pot, subject, startsAt, endsAt, uncounted = 0n } of windows) {
    if (!stale.has(pot)) continue;
    await tx
      .updateTable("budgetSpend")
      .set({ subject, startsAt, endsAt, spent: sql<bigint>`${spentIn(subject, startsAt, endsAt)} - ${uncounted}` })
      .where("pot", "=", pot)
      .execute();
  }
}

const NO_LOCK = new SqlText("");
const LOCK = new SqlText("for update of b");
const COLUMNS = {
  pot: "text",
  organization_id: "text",
  subject: "text",
  starts_at: "bigint",
  ends_at: "bigint",
} as const;

/** What the sums have of a subject in a window, for the place of a value in a statement. Of end users the log alone knows. */
export function spentIn(subject: string, startsAt: number, endsAt: number) {
  const [scope, id] = cut(subject, ":");
  const [table, condition] =
    scope === "end_user" ? [sql`usage_log`, ofEndUser(id)] : [sql`usage_quarters`, ofSubject(scope, id)];
  return sql<bigint>`(select coalesce(sum(q.cost), 0) from ${table} q
    where ${condition} and q.at >= ${startsAt} and q.at < ${endsAt})`;
}

function cut(text: string, mark: string): readonly [string, string] {
  const at = text.indexOf(mark);
  return [text.slice(0, at), text.slice(at + 1)];
}

function ofEndUser(id: string) {
  const [organizationId, name] = cut(id, "/");
  return sql`q.organization_id = ${organizationId} and q.end_user = ${name}`;
}

/** The quarters of a subject; calls that belong to no organization are nobody's. */
function ofSubject(scope: string, id: string) {
  switch (scope) {
    case "organization":
      return sql`q.organization_id = ${id}`;
    case "team":
      return sql`q.team_id = ${id} and q.organization_id <> ''`;
    case "key":
      return sql`q.key_id = ${id} and q.organization_id <> ''`;
    case "user":
      return sql`q.user_id = ${Number(id)} and q.organization_id <> ''`;
    default: {
      const [team = "", person = ""] = id.split("/");
      return sql`q.team_id = ${team} and q.user_id = ${Number(person)} and q.organization_id <> ''`;
    }
  }
}
