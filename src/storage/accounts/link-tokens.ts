import type { Kysely } from "kysely";
import type { LinkTokenStore } from "../../accounts/store.ts";
import type { Tables } from "../tables.ts";
import { inTransaction } from "../transaction.ts";

export function linkTokenStore(db: Kysely<Tables>): LinkTokenStore {
  return {
    async findByHash(tokenHash) {
      const found = db.selectFrom("linkTokens").selectAll().where("tokenHash", "=", tokenHash);
      return (await found.executeTakeFirst()) ?? null;
    },
    async put(token) {
      await inTransaction(db, async (tx) => {
        await tx
          .deleteFrom("linkTokens")
          .where("userId", "=", token.userId)
          .where("purpose", "=", token.purpose)
          .execute();
        await tx.insertInto("linkTokens").values(token).execute();
      });
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
