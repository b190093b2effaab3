import { type Kysely, type Selectable, sql } from "kysely";
import type { Happening } from "../../billing/providers/payment-provider.ts";
import type { StoredEvent } from "../../billing/records.ts";
import type { EventStore } from "../../billing/store.ts";
import { inOrder } from "../accounts/in-order.ts";
import { paged } from "../accounts/paged.ts";
import type { Tables } from "../tables.ts";

const ERROR_LENGTH_MAX = 500;

export function paymentEventStore(db: Kysely<Tables>): EventStore {
  return {
    async receive(provider, { id, type, happening }, atMs) {
      const row = await db
        .insertInto("webhookEvents")
        .values({
          provider,
          id,
          type,
          status: "received",
          purchaseId: null,
          event: JSON.stringify(happening),
          attempts: 1,
          error: null,
          firstSeenAt: atMs,
          updatedAt: atMs,
        })
        .onConflict((conflict) =>
          conflict.columns(["provider", "id"]).doUpdateSet({
            attempts: sql`${sql.ref("webhook_events.attempts")} + 1`,
            updatedAt: atMs,
          }),
        )
        .returningAll()
        .executeTakeFirstOrThrow();
      return toStoredEvent(row);
    },
    async finish(provider, id, { status, purchaseId, error = null }, atMs) {
      await db
        .updateTable("webhookEvents")
        .set({ status, purchaseId, error: error?.slice(0, ERROR_LENGTH_MAX) ?? null, updatedAt: atMs })
        .where("provider", "=", provider)
        .where("id", "=", id)
        .execute();
    },
    async listDone(provider, purchaseId, sinceMs) {
      const rows = await db
        .selectFrom("webhookEvents")
        .select("event")
        .where("status", "=", "done")
        .where("updatedAt", ">=", sinceMs)
        .where("provider", "=", provider)
        .where("purchaseId", "=", purchaseId)
        .execute();
      return rows.map(({ event }) => JSON.parse(event) as Happening);
    },
    async list({ status }, page, order) {
      let found = inOrder(db, db.selectFrom("webhookEvents").selectAll(), order);
      if (status !== undefined) found = found.where("status", "=", status);
      const { rows, total } = await paged(found, page);
      return { rows: rows.map(toStoredEvent), total };
    },
  };
}

const toStoredEvent = ({ event: _, ...row }: Selectable<Tables["webhookEvents"]>): StoredEvent => row;
