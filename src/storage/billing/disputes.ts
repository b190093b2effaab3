import type { Kysely } from "kysely";
import type { DisputeStore } from "../../billing/store.ts";
import type { Tables } from "../tables.ts";

export function disputeStore(db: Kysely<Tables>): DisputeStore {
  return {
    async find(provider, id) {
      const found = await db
        .selectFrom("disputes")
        .selectAll()
        .where("provider", "=", provider)
        .where("id", "=", id)
        .executeTakeFirst();
      return found ?? null;
    },
    async insert(dispute) {
      await db.insertInto("disputes").values(dispute).execute();
    },
    listStanding: (purchaseId) =>
      db
        .selectFrom("disputes")
        .selectAll()
        .where("purchaseId", "=", purchaseId)
        .where("status", "!=", "won")
        .orderBy("createdAt")
        .orderBy("id")
        .execute(),
    async setAmount(provider, id, amount) {
      await db.updateTable("disputes").set({ amount }).where("provider", "=", provider).where("id", "=", id).execute();
    },
    async close(provider, id, status, atMs) {
      await db
        .updateTable("disputes")
        .set({ status, closedAt: atMs })
        .where("provider", "=", provider)
        .where("id", "=", id)
        .execute();
    },
  };
}
