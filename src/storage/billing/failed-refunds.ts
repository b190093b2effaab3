import type { Kysely } from "kysely";
import type { FailedRefundStore } from "../../billing/store.ts";
import type { Tables } from "../tables.ts";

export function failedRefundStore(db: Kysely<Tables>): FailedRefundStore {
  return {
    list: (purchaseId) => db.selectFrom("failedRefunds").selectAll().where("purchaseId", "=", purchaseId).execute(),
    async insert(refund) {
      await db.insertInto("failedRefunds").values(refund).execute();
    },
  };
}
