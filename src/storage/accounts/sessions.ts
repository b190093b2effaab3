import type { Kysely } from "kysely";
import type { SessionStore } from "../../accounts/store.ts";
import type { Tables } from "../tables.ts";
import { isEmpty } from "./is-empty.ts";

export function sessionStore(db: Kysely<Tables>): SessionStore {
  const store: SessionStore = {
    async find(id) {
      return (await db.selectFrom("sessions").selectAll().where("id", "=", id).executeTakeFirst()) ?? null;
    },
    async insert(session) {
      await db.insertInto("sessions").values(session).execute();
    },
    async update(id, { organizationId, lastSeenAt, expiresAt }) {
      // Named one by one: a session that is handed over whole must not take back its revocation.
      const changes = { organizationId, lastSeenAt, expiresAt };
      if (isEmpty(changes)) return;
      await db.updateTable("sessions").set(changes).where("id", "=", id).execute();
    },
    listOpen(userId, nowMs) {
      return db
        .selectFrom("sessions")
        .selectAll()
        .where("userId", "=", userId)
        .where("revokedAt", "is", null)
        .where("expiresAt", ">", nowMs)
        .orderBy("createdAt", "desc")
        .orderBy("id", "desc")
        .execute();
    },
    async revoke(userId, { id, except }, atMs) {
      // The first time counts: a second sign-out must not move it.
      let revoking = db
        .updateTable("sessions")
        .set({ revokedAt: atMs })
        .where("userId", "=", userId)
        .where("revokedAt", "is", null);
      if (id !== undefined) revoking = revoking.where("id", "=", id);
      if (except !== undefined) revoking = revoking.where("id", "!=", except);
      // Those that are over are revoked too, lest one is prolonged at this moment; but they were not open.
      const revoked = await revoking.returning(["id", "expiresAt"]).execute();
      await store.revokeBegunFrom(
        revoked.map((session) => session.id),
        atMs,
      );
      return revoked.filter(({ expiresAt }) => expiresAt > atMs).length;
    },
    async revokeBegunFrom(adminSessionIds, atMs) {
      if (adminSessionIds.length === 0) return;
      await db
        .updateTable("sessions")
        .set({ revokedAt: atMs })
        .where("adminSessionId", "in", adminSessionIds)
        .where("revokedAt", "is", null)
        .execute();
    },
  };
  return store;
}
