import type { Kysely } from "kysely";
import type { Notice, NoticeDesk } from "../../billing/notice-stores.ts";
import { isoTime } from "../../contract/users.ts";
import { newId } from "../../lib/ids.ts";
import { decodeStrings } from "../accounts/json-columns.ts";
import { outboxWriter } from "../outbox/outbox-store.ts";
import type { Tables } from "../tables.ts";

/** What a person should read; the rest is for programs. */
const MAILED: ReadonlySet<string> = new Set([
  "balance.low",
  "balance.depleted",
  "auto_top_up.failed",
  "auto_top_up.disabled",
]);

export const noticeDesk = (db: Kysely<Tables>): NoticeDesk => ({ tell: (notice) => tell(db, notice) });

/** One delivery for each endpoint that wants it, and a mail; all in the transaction that is under way. */
export async function tell(db: Kysely<Tables>, { type, organizationId, data, atMs }: Notice): Promise<void> {
  const outbox = outboxWriter(db);
  const endpoints = await db
    .selectFrom("webhookEndpoints")
    .select(["id", "events"])
    .where("organizationId", "=", organizationId)
    .where("status", "=", "active")
    .execute();
  const eventId = newId();
  const payload = JSON.stringify({ id: eventId, type, timestamp: isoTime(atMs), data: { organizationId, ...data } });
  for (const endpoint of endpoints) {
    const wanted = decodeStrings(endpoint.events);
    if (wanted.length > 0 && !wanted.includes(type)) continue;
    const id = newId();
    await db
      .insertInto("webhookDeliveries")
      .values({
        id,
        endpointId: endpoint.id,
        organizationId,
        eventId,
        type,
        payload,
        status: "pending",
        attempts: 0,
        responseStatus: null,
        error: null,
        createdAt: atMs,
        updatedAt: atMs,
      })
      .execute();
    await outbox.insert({ topic: "webhook.deliver", payload: { deliveryId: id }, createdAt: atMs });
  }
  if (MAILED.has(type)) {
    await outbox.insert({ topic: `notice.${type}`, payload: { type, organizationId, data }, createdAt: atMs });
  }
}
