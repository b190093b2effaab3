import type { Kysely } from "kysely";
import type { IdentityStore } from "../../accounts/sign-in-store.ts";
import type { Tables } from "../tables.ts";
import { isEmpty } from "./is-empty.ts";

export function identityStore(db: Kysely<Tables>): IdentityStore {
  return {
    async find(issuer, subject) {
      const row = await db
        .selectFrom("userIdentities")
        .selectAll()
        .where("issuer", "=", issuer)
        .where("subject", "=", subject)
        .executeTakeFirst();
      return row ?? null;
    },
    async insert(identity) {
      await db.insertInto("userIdentities").values(identity).execute();
    },
    async update(id, { email, lastLoginAt }) {
      const changes = { email, lastLoginAt };
      if (isEmpty(changes)) return;
      await db.updateTable("userIdentities").set(changes).where("id", "=", id).execute();
    },
    listOf(userId) {
      return db
        .selectFrom("userIdentities")
        .selectAll()
        .where("userId", "=", userId)
        .orderBy("createdAt")
        .orderBy("id")
        .execute();
    },
    async removeOf(userId) {
      await db.deleteFrom("userIdentities").where("userId", "=", userId).execute();
    },
  };
}
