import type { Kysely } from "kysely";
import type { KeptAnswers, KeptKey } from "../../ledger/kept-answers.ts";
import type { Tables } from "../tables.ts";

export function keptAnswers(db: Kysely<Tables>): KeptAnswers {
  const update = ({ scope, keyHash }: KeptKey) =>
    db.updateTable("idempotency").where("scope", "=", scope).where("keyHash", "=", keyHash);
  return {
    async begin({ scope, keyHash, bodyHash, expiresAt }, nowMs) {
      const fresh = { bodyHash, state: "running", status: null, headers: null, body: null, expiresAt } as const;
      // One statement decides who makes the call: the row is taken where it is new or where its time is over.
      const taken = await db
        .insertInto("idempotency")
        .values({ scope, keyHash, ...fresh })
        .onConflict((conflict) =>
          conflict.columns(["scope", "keyHash"]).doUpdateSet(fresh).where("idempotency.expiresAt", "<=", nowMs),
        )
        .returning("scope")
        .executeTakeFirst();
      if (taken !== undefined) return null;
      const known = await db
        .selectFrom("idempotency")
        .selectAll()
        .where("scope", "=", scope)
        .where("keyHash", "=", keyHash)
        .executeTakeFirst();
      // Forgotten in between: whoever had it failed, and the caller may try again.
      return known ?? { scope, keyHash, ...fresh };
    },
    async renew(key, expiresAt) {
      await update(key).set({ expiresAt }).where("state", "=", "running").execute();
    },
    // A call that took so long that another was made in its place ends after it: what that one brought stays.
    async finish(key, answer) {
      await update(key)
        .set({ ...answer, state: "done" })
        .where("state", "=", "running")
        .execute();
    },
    async forget({ scope, keyHash }) {
      await db
        .deleteFrom("idempotency")
        .where("scope", "=", scope)
        .where("keyHash", "=", keyHash)
        .where("state", "=", "running")
        .execute();
    },
    async removeExpired(nowMs) {
      await db.deleteFrom("idempotency").where("expiresAt", "<=", nowMs).execute();
    },
  };
}
