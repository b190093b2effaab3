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
