import type { Kysely, Selectable } from "kysely";
import type { DeliveryStore, EndpointStore } from "../../billing/notice-stores.ts";
import type { WebhookEndpoint } from "../../billing/records.ts";
import { isEmpty } from "../accounts/is-empty.ts";
import { decodeStrings, encodeJson } from "../accounts/json-columns.ts";
import { lockOrganization } from "../accounts/lock-organization.ts";
import { paged } from "../accounts/paged.ts";
import { outboxWriter } from "../outbox/outbox-store.ts";
import type { Tables } from "../tables.ts";

export function endpointStore(db: Kysely<Tables>): EndpointStore {
  return {
    lock: (organizationId) => lockOrganization(db, organizationId),
    async list(organizationId) {
      const rows = await db
        .selectFrom("webhookEndpoints")
        .selectAll()
        .where("organizationId", "=", organizationId)
        .orderBy("createdAt")
        .orderBy("id")
        .execute();
      return rows.map(toEndpoint);
    },
    async find(id) {
      const row = await db.selectFrom("webhookEndpoints").selectAll().where("id", "=", id).executeTakeFirst();
      return row === undefined ? null : toEndpoint(row);
    },
    async insert(endpoint) {
      await db
        .insertInto("webhookEndpoints")
        .values({ ...endpoint, events: encodeJson(endpoint.events) })
        .execute();
    },
    async update(id, { url, description, events, status, secretVersion, updatedAt }) {
      const changes = { url, description, events: events && encodeJson(events), status, secretVersion, updatedAt };
      if (isEmpty(changes)) return;
      await db.updateTable("webhookEndpoints").set(changes).where("id", "=", id).execute();
    },
    async remove(id) {
      await db.deleteFrom("webhookEndpoints").where("id", "=", id).execute();
    },
  };
}

const toEndpoint = (row: Selectable<Tables["webhookEndpoints"]>): WebhookEndpoint => ({
  ...row,
  events: decodeStrings(row.events),
});

const ERROR_LENGTH_MAX = 300;

export function deliveryStore(db: Kysely<Tables>): DeliveryStore {
  return {
    async find(id) {
      return (await db.selectFrom("webhookDeliveries").selectAll().where("id", "=", id).executeTakeFirst()) ?? null;
    },
    async list(endpointId, page) {
      const found = db
        .selectFrom("webhookDeliveries")
        .selectAll()
        .where("endpointId", "=", endpointId)
        .orderBy("createdAt", "desc")
        .orderBy("id", "desc");
      const { rows, total } = await paged(found, page);
      const due = await dueTimes(
        db,
        rows.filter(({ status }) => status !== "delivered").map(({ id }) => id),
      );
      return { rows: rows.map((row) => ({ ...row, nextAttemptAt: due.get(row.id) ?? null })), total };
    },
    async noteAttempt(id, { status, responseStatus, error }, atMs) {
      await db
        .updateTable("webhookDeliveries")
        .set(({ eb }) => ({
          status,
          responseStatus,
          error: error?.slice(0, ERROR_LENGTH_MAX) ?? null,
          attempts: eb("attempts", "+", 1),
          updatedAt: atMs,
        }))
        .where("id", "=", id)
        .execute();
    },
    async replay(id, atMs) {
      await db
        .updateTable("webhookDeliveries")
        .set({ status: "pending", updatedAt: atMs })
        .where("id", "=", id)
        .execute();
      await outboxWriter(db).insert({ topic: TOPIC, payload: { deliveryId: id }, createdAt: atMs });
    },
  };
}

const TOPIC = "webhook.deliver";

/** When deliveries are tried next, by their ids: those that wait in the outbox. */
async function dueTimes(db: Kysely<Tables>, ids: readonly string[]): Promise<ReadonlyMap<string, number>> {
  if (ids.length === 0) return new Map();
  const byPayload = new Map(ids.map((id) => [encodeJson({ deliveryId: id }), id]));
  const waiting = await db
    .selectFrom("outbox")
    .select(["payload", "dueAt"])
    .where("dueAt", "is not", null)
    .where("topic", "=", TOPIC)
    .where("payload", "in", [...byPayload.keys()])
    .orderBy("dueAt", "desc")
    .execute();
  // Of one that was replayed the soonest counts.
  return new Map(
    waiting.flatMap(({ payload, dueAt }) => (dueAt === null ? [] : [[byPayload.get(payload) ?? "", dueAt]])),
  );
}
