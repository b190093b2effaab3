import type { Kysely } from "kysely";
import type { LinkTokenStore } from "../../accounts/store.ts";
import type { Tables } from "../tables.ts";

export function linkTokenStore(db: Kysely<Tables>): LinkTokenStore {
  return {
    async findByHash(tokenHash) {
      const found = db.selectFrom("linkTokens").selectAll().where("tokenHash", "=", tokenHash);
      return (await found.executeTakeFirst()) ?? null;
    },
    async put(token) {
      const { userId: _userId, purpose: _purpose, ...rest } = token;
      await db
        .insertInto("linkTokens")
        .values(token)
        .onConflict((conflict) => conflict.columns(["userId", "purpose"]).doUpdateSet(rest))
        .execute();
    },
    async use(id) {
      // Whoever removes the row has used it.
      return (await db.deleteFrom("linkTokens").where("id", "=", id).returning("id").execute()).length === 1;
    },
    async removeOf(userId, purpose) {
      await db.deleteFrom("linkTokens").where("userId", "=", userId).where("purpose", "=", purpose).execute();
    },
  };
}
