import type { Kysely } from "kysely";
import type { AlertStore } from "../../billing/notice-stores.ts";
import type { Tables } from "../tables.ts";

export function alertStore(db: Kysely<Tables>): AlertStore {
  return {
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
