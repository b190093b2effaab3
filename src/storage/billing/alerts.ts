import type { Kysely } from "kysely";
import type { AlertStore } from "../../billing/notice-stores.ts";
import type { Tables } from "../tables.ts";

export function alertStore(db: Kysely<Tables>): AlertStore {
  return {
    async percents(organizationId) {
      const row = await db
        .selectFrom("budgetAlerts")
        .select("percents")
        .where("organizationId", "=", organizationId)
        .executeTakeFirst();
      return row ? (JSON.parse(row.percents) as number[]) : null;
    },
    async choosePercents(organizationId, chosen) {
      const percents = JSON.stringify(chosen);
      await db
        .insertInto("budgetAlerts")
        .values({ organizationId, percents })
        .onConflict((conflict) => conflict.column("organizationId").doUpdateSet({ percents }))
        .execute();
    },
    list: (organizationId) =>
      db
        .selectFrom("balanceAlerts")
        .selectAll()
        .where("organizationId", "=", organizationId)
        .orderBy("threshold", "desc")
        .execute(),
    async replace(organizationId, thresholds, balance, atMs) {
      await db.deleteFrom("balanceAlerts").where("organizationId", "=", organizationId).execute();
      if (thresholds.length === 0) return;
      await db
        .insertInto("balanceAlerts")
        .values(
          thresholds.map((threshold) => ({ organizationId, threshold, firedAt: balance < threshold ? atMs : null })),
        )
        .execute();
    },
  };
}
