import { type Kysely, sql } from "kysely";
import type { StatementBooks } from "../../billing/statement.ts";
import type { StatementStore } from "../../billing/store.ts";
import { walletOf } from "../../ledger/entry.ts";
import type { Tables } from "../tables.ts";

const LOOKS_MAX = 5;

export function statementStore(db: Kysely<Tables>): StatementStore {
  return {
    async read(organizationId, startMs, endMs) {
      const span: Span = { wallet: walletOf(organizationId), startMs, endMs };
      // The sums come from one statement and the lines from others; what was posted in between is seen at the next look.
      for (let look = 0; look < LOOKS_MAX; look++) {
        const books = await readOnce(db, span);
        const listed = books.lines.reduce((sum, { amount }) => sum + amount, 0n) - books.used;
        if (listed === books.change) return books;
      }
      throw new Error("the books change faster than they can be read");
    },
  };
}

interface Span {
  readonly wallet: string;
  readonly startMs: number;
  readonly endMs: number;
}

async function readOnce(db: Kysely<Tables>, span: Span): Promise<StatementBooks> {
  const { rows } = await sql<{ opening: bigint; change: bigint; used: bigint }>`
    select
      coalesce(sum(case when e.at < ${span.startMs} then p.amount else 0 end), 0) as opening,
      coalesce(sum(case when e.at >= ${span.startMs} then p.amount else 0 end), 0) as change,
      coalesce(sum(case when e.at >= ${span.startMs} and e.kind = 'usage' then -p.amount else 0 end), 0) as used
    from ledger_postings p join ledger_entries e on e.id = p.entry_id
    where p.account_id = ${span.wallet} and e.at < ${span.endMs}`.execute(db);
  const sums = rows[0] ?? { opening: 0n, change: 0n, used: 0n };
  return { ...sums, lines: await readLines(db, span), usage: await readUsage(db, span) };
}

const readLines = (db: Kysely<Tables>, { wallet, startMs, endMs }: Span): Promise<StatementBooks["lines"]> =>
  db
    .selectFrom("ledgerPostings as posting")
    .innerJoin("ledgerEntries as entry", "entry.id", "posting.entryId")
    .select(["entry.id", "entry.at", "entry.kind", "entry.reason", "posting.amount"])
    .where("posting.accountId", "=", wallet)
    .where("entry.kind", "!=", "usage")
    .where("entry.at", ">=", startMs)
    .where("entry.at", "<", endMs)
    .orderBy("entry.at")
    .orderBy("entry.id")
    .execute();

/** By the entry that charged a call, not by the call's own time: only so do the parts add up to the whole. */
async function readUsage(db: Kysely<Tables>, { wallet, startMs, endMs }: Span): Promise<StatementBooks["usage"]> {
  const rows = await db
    .selectFrom("ledgerPostings as posting")
    .innerJoin("ledgerEntries as entry", "entry.id", "posting.entryId")
    .innerJoin("usageLog as call", "call.entryId", "entry.id")
    .select([
      "call.requestedModel as model",
      "call.teamId",
      "call.teamName",
      sql<bigint>`count(*)`.as("calls"),
      sql<bigint>`sum(call.cost)`.as("cost"),
    ])
    .where("posting.accountId", "=", wallet)
    .where("entry.kind", "=", "usage")
    .where("entry.at", ">=", startMs)
    .where("entry.at", "<", endMs)
    .where("call.cost", ">", 0n)
    .groupBy(["call.requestedModel", "call.teamId", "call.teamName"])
    .orderBy("cost", "desc")
    .orderBy("model")
    .execute();
  return rows.map((row) => ({ ...row, calls: Number(row.calls) }));
}
