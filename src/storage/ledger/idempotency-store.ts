import type { ExpressionBuilder, Kysely } from "kysely";
import type { IdempotencyClaim, IdempotencyStore } from "../../ledger/idempotency-store.ts";
import type { Tables } from "../tables.ts";

/** A lease that ends later than this was taken before the clock was set back: who lives has renewed it since. */
const LEASE_MAX_MS = 4 * 60_000;
const SWEPT_AFTER_MS = 3_600_000;

export function keptAnswers(db: Kysely<Tables>): IdempotencyStore {
  const update = ({ scope, keyHash, owner }: IdempotencyClaim) =>
    db
      .updateTable("idempotency")
      .where("scope", "=", scope)
      .where("keyHash", "=", keyHash)
      .where("state", "=", "running")
      .where("owner", "=", owner);
  return {
    async begin({ scope, keyHash, bodyHash, owner, expiresAt }, nowMs, mayLive = false) {
      const fresh = { bodyHash, state: "running", owner, status: null, headers: null, body: null, expiresAt } as const;
      // One statement decides who makes the call: the row is taken where it is new or where its time is over.
      const isOver = (eb: ExpressionBuilder<Tables, "idempotency">) => {
        const [ends, isRunning] = [eb.ref("idempotency.expiresAt"), eb("idempotency.state", "=", "running")];
        if (mayLive) return eb.and([eb(ends, "<=", nowMs), eb.not(isRunning)]);
        return eb.or([eb(ends, "<=", nowMs), eb.and([isRunning, eb(ends, ">", nowMs + LEASE_MAX_MS)])]);
      };
      const taken = await db
        .insertInto("idempotency")
        .values({ scope, keyHash, ...fresh })
        .onConflict((conflict) => conflict.columns(["scope", "keyHash"]).doUpdateSet(fresh).where(isOver))
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
    async renew(claim, expiresAt) {
      await update(claim).set({ expiresAt }).execute();
    },
    async finish(claim, answer) {
      await update(claim)
        .set({ ...answer, state: "done" })
        .execute();
    },
    async forget({ scope, keyHash, owner }) {
      await db
        .deleteFrom("idempotency")
        .where("scope", "=", scope)
        .where("keyHash", "=", keyHash)
        .where("state", "=", "running")
        .where("owner", "=", owner)
        .execute();
    },
    async removeExpired(nowMs) {
      await db
        .deleteFrom("idempotency")
        .where("expiresAt", "<=", nowMs)
        .where(({ or, eb }) => or([eb("state", "=", "done"), eb("expiresAt", "<=", nowMs - SWEPT_AFTER_MS)]))
        .execute();
    },
  };
}
