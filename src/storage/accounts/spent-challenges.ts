import type { Kysely } from "kysely";
import type { SpentChallengeStore } from "../../accounts/sign-in-store.ts";
import type { Tables } from "../tables.ts";

export function spentChallengeStore(db: Kysely<Tables>): SpentChallengeStore {
  return {
    async spend(id, expiresAt) {
      const rows = await db
        .insertInto("spentChallenges")
        .values({ id, expiresAt })
        .onConflict((conflict) => conflict.column("id").doNothing())
        .returning("id")
        .execute();
      return rows.length > 0;
    },
    async removeOver(beforeMs) {
      await db.deleteFrom("spentChallenges").where("expiresAt", "<", beforeMs).execute();
    },
  };
}
