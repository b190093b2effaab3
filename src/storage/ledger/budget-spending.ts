import { type Kysely, sql } from "kysely";
import type { BudgetSpending, WindowSpend } from "../../ledger/budget-spending.ts";
import type { Tables } from "../tables.ts";
import { endOf, spentIn } from "./budget-windows.ts";

export const budgetSpending = (db: Kysely<Tables>): BudgetSpending => ({
  async list(subject) {
    const rows = await db
      .selectFrom("budgetSpend")
      .select(["pot", "spent", "startsAt", "endsAt"])
      .where("subject", "=", subject)
      .orderBy("startsAt")
      .execute();
    return rows as readonly WindowSpend[];
  },
  async spent(windows) {
    if (windows.length === 0) return [];
    const each = windows.map(
      ({ subject, startMs, endMs }, at) =>
        sql`select cast(${at} as integer) as place, ${spentIn(subject, startMs, endOf(endMs))} as spent`,
    );
    const all = sql<{ place: number | bigint; spent: bigint }>`(${sql.join(each, sql` union all `)})`.as("found");
    const rows = await db.selectFrom(all).selectAll().execute();
    const byPlace = new Map(rows.map(({ place, spent }) => [Number(place), spent]));
    return windows.map((_, at) => byPlace.get(at) ?? 0n);
  },
});
