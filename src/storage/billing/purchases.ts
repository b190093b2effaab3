import type { Kysely } from "kysely";
import type { PurchaseOrder, PurchaseStore } from "../../billing/store.ts";
import { inOrder } from "../accounts/in-order.ts";
import { isEmpty } from "../accounts/is-empty.ts";
import { paged } from "../accounts/paged.ts";
import type { Tables } from "../tables.ts";

const NEWEST_FIRST: PurchaseOrder = { by: "createdAt", direction: "desc" };

export function purchaseStore(db: Kysely<Tables>): PurchaseStore {
  return {
    async find(id) {
      return (await db.selectFrom("purchases").selectAll().where("id", "=", id).executeTakeFirst()) ?? null;
    },
    async lock(id) {
      // A write takes the row in both databases; SQLite has no other way to say so.
      const locked = await db
        .updateTable("purchases")
        .set(({ ref }) => ({ updatedAt: ref("updatedAt") }))
        .where("id", "=", id)
        .returningAll()
        .executeTakeFirst();
      return locked ?? null;
    },
    async findByPayment(provider, paymentRef) {
      const found = await db
        .selectFrom("purchases")
        .selectAll()
        .where("paymentRef", "=", paymentRef)
        .where("provider", "=", provider)
        .executeTakeFirst();
      return found ?? null;
    },
    async isAbandoned({ organizationId }) {
      const kept = db.selectFrom("organizations").select("id").where("id", "=", organizationId);
      return (await kept.executeTakeFirst()) === undefined;
    },
    async insert(purchase) {
      await db.insertInto("purchases").values(purchase).execute();
    },
    async update(id, given) {
      const { status, providerRef, paymentRef, checkoutUrl, refunded, disputed, failure, updatedAt, paidAt } = given;
      const changes = { status, providerRef, paymentRef, checkoutUrl, refunded, disputed, failure, updatedAt, paidAt };
      if (isEmpty(changes)) return;
      await db.updateTable("purchases").set(changes).where("id", "=", id).execute();
    },
    list(organizationId, page, order = NEWEST_FIRST) {
      const found = db.selectFrom("purchases").selectAll().where("organizationId", "=", organizationId);
      return paged(inOrder(db, found, order), page);
    },
  };
}
