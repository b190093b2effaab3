import type { Kysely } from "kysely";
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
  spent: (windows) =>
    spentIn(
      db,
      windows.map(({ subject, model = null, startMs, endMs }) => ({
        subject,
        model,
        startsAt: startMs,
        endsAt: endOf(endMs),
      })),
    ),
});
