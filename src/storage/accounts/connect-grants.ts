import type { Kysely } from "kysely";
import type { ConnectGrantStore } from "../../accounts/sign-in-store.ts";
import type { Tables } from "../tables.ts";

export function connectGrantStore(db: Kysely<Tables>): ConnectGrantStore {
  return {
    async insert(grant) {
      await db.insertInto("connectGrants").values(grant).execute();
    },
    async find(codeHash) {
      const found = db.selectFrom("connectGrants").selectAll().where("codeHash", "=", codeHash);
      return (await found.executeTakeFirst()) ?? null;
    },
    async use(id, nowMs) {
      const rows = await db
        .updateTable("connectGrants")
        .set({ status: "used" })
        .where("id", "=", id)
        .where("status", "=", "open")
        .where("expiresAt", ">", nowMs)
        .returning("id")
        .execute();
      return rows.length > 0;
    },
    async removeOpen(userId) {
      await db.deleteFrom("connectGrants").where("userId", "=", userId).where("status", "=", "open").execute();
    },
    async removeOver(beforeMs) {
      await db.deleteFrom("connectGrants").where("expiresAt", "<", beforeMs).execute();
    },
  };
}
