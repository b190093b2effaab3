import { type Kysely, sql } from "kysely";
import type { StatementBooks, StatementUsage } from "../../billing/statement.ts";
import type { StatementStore } from "../../billing/store.ts";
import { walletOf } from "../../ledger/entry.ts";
import type { Tables } from "../tables.ts";

const LOOKS_MAX = 5;

export function statementStore(db: Kysely<Tables>): StatementStore {
  return {
    async read(organizationId, startMs, endMs) {
      const span: Span = { wallet: walletOf(organizationId), startMs, endMs };
      // The sums come from one statement and the lines from another; what was posted in between is seen at the next look.
      for (let look = 0; look < LOOKS_MAX; look++) {
        const { opening, moved } = await readSums(db, span);
        const lines = await readLines(db, span);
        const listed = lines.reduce((sum, { amount }) => sum + amount, 0n);
        if (listed !== moved) continue;
        const { used, usage } = await readUsage(db, organizationId, span);
        return { opening, change: moved - used, lines, used, usage };
      }
      throw new Error("the books change faster than they can be read");
    },

    formerZones: (organizationId) =>
      db
        .selectFrom("organizationZones")
        .select(["timezone", "endedAt"])
        .where("organizationId", "=", organizationId)
        .orderBy("endedAt")
        .execute(),

    readPurchase: (organizationId, purchaseId) =>
      linesOf(db, walletOf(organizationId))
        .where("entry.organizationId", "=", organizationId)
        .where("entry.kind", "in", ["topup", "refund", "dispute"])
        // As JSON is written here, without blanks; ids have neither `%` nor `_`.
        .where("entry.details", "like", `%"purchaseId":${JSON.stringify(purchaseId)}%`)
        .execute(),
  };
}

interface Span {
  readonly wallet: string;
  readonly startMs: number;
  readonly endMs: number;
}

/** The balance before, and what happened since that is not usage. */
async function readSums(
  db: Kysely<Tables>,
  { wallet, startMs, endMs }: Span,
): Promise<{ readonly opening: bigint; readonly moved: bigint }> {
  const { rows } = await sql<{ opening: bigint; moved: bigint }>`
    select
      coalesce(sum(case when e.at < ${startMs} then p.amount else 0 end), 0) as opening,
      coalesce(sum(case when e.at >= ${startMs} and e.kind <> 'usage' then p.amount else 0 end), 0) as moved
    from ledger_postings p join ledger_entries e on e.id = p.entry_id
    where p.account_id = ${wallet} and e.at < ${endMs}`.execute(db);
  return rows[0] ?? { opening: 0n, moved: 0n };
}

const readLines = (db: Kysely<Tables>, { wallet, startMs, endMs }: Span): Promise<StatementBooks["lines"]> =>
  linesOf(db, wallet)
    .where("entry.kind", "!=", "usage")
    .where("entry.at", ">=", startMs)
    .where("entry.at", "<", endMs)
    .execute();

const linesOf = (db: Kysely<Tables>, wallet: string) =>
  db
    .selectFrom("ledgerPostings as posting")
    .innerJoin("ledgerEntries as entry", "entry.id", "posting.entryId")
    .select(["entry.id", "entry.at", "entry.kind", "entry.reason", "posting.amount"])
    .where("posting.accountId", "=", wallet)
    .orderBy("entry.at")
    .orderBy("entry.id");

/** A call is charged when it has ended, seldom so much later than it came in; or before it, by a clock that was set back. */
const CHARGED_WITHIN_MS = 3 * 86_400_000;

/** Where the parts are not the whole, calls that came in earlier are looked for among all of them, if the log has any. */
async function readUsage(
  db: Kysely<Tables>,
  organizationId: string,
  span: Span,
): Promise<Pick<StatementBooks, "used" | "usage">> {
  const sinceMs = span.startMs - CHARGED_WITHIN_MS;
  const near = await readUsageSince(db, organizationId, span, sinceMs);
  if (near.usage.reduce((sum, { cost }) => sum + cost, 0n) === near.used) return near;
  const older = db.selectFrom("usageLog").select("id").where("organizationId", "=", organizationId);
  const isThere = (await older.where("at", "<", sinceMs).limit(1).executeTakeFirst()) !== undefined;
  return isThere ? readUsageSince(db, organizationId, span, 0) : near;
}

/**
 * By the entry that charged a call, not by the call's own time: only so do the parts add up to the whole. Both are of one
 * statement, since calls are charged all the time. Calls have an index by their time and none by their entry.
 */
async function readUsageSince(
  db: Kysely<Tables>,
  organizationId: string,
  { wallet, startMs, endMs }: Span,
  sinceMs: number,
): Promise<Pick<StatementBooks, "used" | "usage">> {
  const { rows } = await sql<Omit<StatementUsage, "calls"> & { calls: bigint; whole: bigint }>`
    with charged as (
      select e.id, -p.amount as amount from ledger_postings p join ledger_entries e on e.id = p.entry_id
      where p.account_id = ${wallet} and e.kind = 'usage' and e.at >= ${startMs} and e.at < ${endMs})
    select 1 as whole, '' as model, cast(null as text) as team_id, cast(null as text) as team_name, 0 as calls,
      coalesce(sum(amount), 0) as cost
    from charged
    union all
    select 0, c.requested_model, c.team_id, c.team_name, count(*), sum(c.cost)
    from usage_log c
    where c.organization_id = ${organizationId} and c.at >= ${sinceMs} and c.at < ${endMs + CHARGED_WITHIN_MS}
      and c.cost > 0
      and c.entry_id in (select id from charged)
    group by c.requested_model, c.team_id, c.team_name
    order by whole desc, cost desc, model`.execute(db);
  const [whole, ...parts] = rows;
  return {
    used: whole?.cost ?? 0n,
    usage: parts.map(({ model, teamId, teamName, calls, cost }) => ({
      model,
      teamId,
      teamName,
      calls: Number(calls),
      cost,
    })),
  };
}
