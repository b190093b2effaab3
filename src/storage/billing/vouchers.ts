import type { Kysely } from "kysely";
import type { VoucherStore } from "../../billing/store.ts";
import { inOrder } from "../accounts/in-order.ts";
import { paged } from "../accounts/paged.ts";
import type { Tables } from "../tables.ts";

export function voucherStore(db: Kysely<Tables>): VoucherStore {
  return {
    async find(id) {
      return (await db.selectFrom("vouchers").selectAll().where("id", "=", id).executeTakeFirst()) ?? null;
    },
    async insert(voucher) {
      await db.insertInto("vouchers").values(voucher).execute();
    },
    list(page, order) {
      return paged(inOrder(db, db.selectFrom("vouchers").selectAll(), order), page);
    },
    async revoke(id, atMs) {
      const revoked = await db
        .updateTable("vouchers")
        .set({ revokedAt: atMs })
        .where("id", "=", id)
        .where("redeemedAt", "is", null)
        .where("revokedAt", "is", null)
        .returning("id")
        .executeTakeFirst();
      return revoked !== undefined;
    },
    async redeem(hash, use) {
      // One statement: of two that race, the second finds it redeemed.
      const redeemed = await db
        .updateTable("vouchers")
        .set(use)
        .where("hash", "=", hash)
        .where("redeemedAt", "is", null)
        .where("revokedAt", "is", null)
        .where(({ or, eb }) => or([eb("expiresAt", "is", null), eb("expiresAt", ">", use.redeemedAt)]))
        .returningAll()
        .executeTakeFirst();
      return redeemed ?? null;
    },
  };
}
