import type { Kysely } from "kysely";
import type { TwoFactorStore } from "../../accounts/sign-in-store.ts";
import type { Tables } from "../tables.ts";
import { inTransaction } from "../transaction.ts";

export function twoFactorStore(db: Kysely<Tables>): TwoFactorStore {
  return {
    async find(userId) {
      return (await db.selectFrom("twoFactors").selectAll().where("userId", "=", userId).executeTakeFirst()) ?? null;
    },
    async confirmedAmong(userIds) {
      if (userIds.length === 0) return new Set();
      const rows = await db
        .selectFrom("twoFactors")
        .select("userId")
        .where("userId", "in", userIds)
        .where("confirmedAt", "is not", null)
        .execute();
      return new Set(rows.map(({ userId }) => userId));
    },
    async propose({ userId, secret, confirmedAt, lastStep, createdAt }) {
      const rows = await db
        .insertInto("twoFactors")
        .values({ userId, secret, confirmedAt, lastStep, createdAt })
        .onConflict((conflict) =>
          conflict
            .column("userId")
            .doUpdateSet({ secret, confirmedAt, lastStep, createdAt })
            .where("twoFactors.confirmedAt", "is", null),
        )
        .returning("userId")
        .execute();
      return rows.length > 0;
    },
    async confirm(userId, secret, step, atMs) {
      const rows = await db
        .updateTable("twoFactors")
        .set({ confirmedAt: atMs, lastStep: step })
        .where("userId", "=", userId)
        .where("secret", "=", secret)
        .where("confirmedAt", "is", null)
        .returning("userId")
        .execute();
      return rows.length > 0;
    },
    async useStep(userId, step) {
      const rows = await db
        .updateTable("twoFactors")
        .set({ lastStep: step })
        .where("userId", "=", userId)
        .where("confirmedAt", "is not", null)
        .where(({ or, eb }) => or([eb("lastStep", "is", null), eb("lastStep", "<", step)]))
        .returning("userId")
        .execute();
      return rows.length > 0;
    },
    remove(userId) {
      return inTransaction(db, async (transaction) => {
        await transaction.deleteFrom("recoveryCodes").where("userId", "=", userId).execute();
        const rows = await transaction
          .deleteFrom("twoFactors")
          .where("userId", "=", userId)
          .returning("userId")
          .execute();
        return rows.length > 0;
      });
    },
    async replaceCodes(userId, codes) {
      await inTransaction(db, async (transaction) => {
        await transaction.deleteFrom("recoveryCodes").where("userId", "=", userId).execute();
        if (codes.length > 0)
          await transaction
            .insertInto("recoveryCodes")
            .values([...codes])
            .execute();
      });
    },
    async useCode(userId, hash, atMs) {
      const rows = await db
        .updateTable("recoveryCodes")
        .set({ usedAt: atMs })
        .where("userId", "=", userId)
        .where("hash", "=", hash)
        .where("usedAt", "is", null)
        .returning("id")
        .execute();
      return rows.length > 0;
    },
    async countCodes(userId) {
      const { left } = await db
        .selectFrom("recoveryCodes")
        .select(({ fn }) => fn.countAll().as("left"))
        .where("userId", "=", userId)
        .where("usedAt", "is", null)
        .executeTakeFirstOrThrow();
      return Number(left);
    },
  };
}
