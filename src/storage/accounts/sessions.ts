import type { Kysely } from "kysely";
import type { SessionStore } from "../../accounts/store.ts";
import type { Tables } from "../tables.ts";

export function sessionStore(db: Kysely<Tables>): SessionStore {
  return {
    async find(id) {
      return (await db.selectFrom("sessions").selectAll().where("id", "=", id).executeTakeFirst()) ?? null;
    },
    async insert(session) {
      await db.insertInto("sessions").values(session).execute();
    },
    async revoke(id, atMs) {
      // The first time counts: a second sign-out must not move it.
      await db
        .updateTable("sessions")
        .set({ revokedAt: atMs })
        .where("id", "=", id)
        .where("revokedAt", "is", null)
        .execute();
    },
  };
}
