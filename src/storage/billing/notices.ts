import type { Kysely } from "kysely";
import type { Notice, NoticeDesk } from "../../billing/notice-stores.ts";
import { isoTime } from "../../contract/users.ts";
import { newId } from "../../lib/ids.ts";
import { decodeStrings } from "../accounts/json-columns.ts";
import { outboxWriter } from "../outbox/outbox-store.ts";
import type { Tables } from "../tables.ts";
import { inTransaction } from "../transaction.ts";

/** What a person should read; the rest is for programs. */
const MAILED: ReadonlySet<string> = new Set([
  "balance.low",
  "balance.depleted",
  "auto_top_up.failed",
  "auto_top_up.disabled",
  "key.expiring",
]);

/** Of budgets only what is pressing, and nothing that may come every hour. */
const MAILED_FROM_PERCENT = 80;
const isMailed = (type: string, data: Notice["data"]): boolean =>
  MAILED.has(type) ||
  (type === "budget.threshold" && data.window !== "hour" && Number(data.percent) >= MAILED_FROM_PERCENT);

export const noticeDesk = (db: Kysely<Tables>): NoticeDesk => ({
  tell: (notice) => tell(db, notice),
  tellOfExpiring: (beforeMs, nowMs) => inTransaction(db, (tx) => tellOfExpiring(tx, beforeMs, nowMs)),
});

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
  if (isMailed(type, data)) {
    await outbox.insert({ topic: `notice.${type}`, payload: { type, organizationId, data }, createdAt: atMs });
  }
}

/** The same to one person, by mail alone: webhook endpoints belong to organizations. */
export async function tellPerson(
  db: Kysely<Tables>,
  { type, userId, data, atMs }: Omit<Notice, "organizationId"> & { readonly userId: number },
): Promise<void> {
  if (!isMailed(type, data)) return;
  await outboxWriter(db).insert({ topic: `notice.${type}`, payload: { type, userId, data }, createdAt: atMs });
}

async function tellOfExpiring(tx: Kysely<Tables>, beforeMs: number, nowMs: number): Promise<number> {
  const ending = await tx
    .selectFrom("apiKeys as key")
    .innerJoin("teams as team", "team.id", "key.teamId")
    .leftJoin("toldExpiries as told", (join) =>
      join.onRef("told.keyId", "=", "key.id").onRef("told.expiresAt", "=", "key.expiresAt"),
    )
    .select(["key.id", "key.name", "key.teamId", "key.expiresAt", "team.organizationId"])
    .where("key.status", "=", "active")
    .where("key.expiresAt", ">", nowMs)
    .where("key.expiresAt", "<=", beforeMs)
    .where("told.keyId", "is", null)
    .limit(EXPIRING_MAX)
    .execute();
  let told = 0;
  for (const { id, name, teamId, expiresAt, organizationId } of ending) {
    if (expiresAt === null) continue;
    const { numInsertedOrUpdatedRows } = await tx
      .insertInto("toldExpiries")
      .values({ keyId: id, expiresAt })
      .onConflict((conflict) => conflict.doNothing())
      .executeTakeFirst();
    // Another process was first.
    if (!numInsertedOrUpdatedRows) continue;
    const data = { keyId: id, name, teamId, expiresAt: isoTime(expiresAt) };
    await tell(tx, { type: "key.expiring", organizationId, data, atMs: nowMs });
    told++;
  }
  return told;
}

/** In one go; the rest has its turn a moment later. */
const EXPIRING_MAX = 500;
