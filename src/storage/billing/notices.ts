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
  // Whoever rotates a key by hand has seen its value.
  (type === "key.rotated" && data.scheduled === true) ||
  (type === "budget.threshold" && data.window !== "hour" && Number(data.percent) >= MAILED_FROM_PERCENT);

export const noticeDesk = (db: Kysely<Tables>): NoticeDesk => ({
  tell: (notice) => tell(db, notice),
  tellOfExpiring: (beforeMs, nowMs) => inTransaction(db, (tx) => tellOfExpiring(tx, beforeMs, nowMs)),
});

/** One delivery for each endpoint that wants it, and a mail; all in the transaction that is under way. */
export async function tell(db: Kysely<Tables>, { type, organizationId, data, atMs, readerId }: Notice): Promise<void> {
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
    await outbox.insert({
      topic: `notice.${type}`,
      payload: { type, organizationId, data, readerId },
      createdAt: atMs,
    });
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
  for (const key of ending) {
    if (key.expiresAt !== null && (await tellOnce(tx, { ...key, expiresAt: key.expiresAt }, nowMs))) told++;
  }
  return told + (await tellOfUnseen(tx, nowMs));
}

/** Values that end although nobody has picked their successors up: half of their time is over, and a day at most is left. */
async function tellOfUnseen(tx: Kysely<Tables>, nowMs: number): Promise<number> {
  const ending = await tx
    .selectFrom("apiKeys as key")
    .innerJoin("teams as team", "team.id", "key.teamId")
    .leftJoin("teamMembers as maker", (join) =>
      join.onRef("maker.teamId", "=", "key.teamId").onRef("maker.userId", "=", "key.createdBy"),
    )
    .leftJoin("toldExpiries as told", (join) =>
      join.onRef("told.keyId", "=", "key.id").onRef("told.expiresAt", "=", "key.previousUntil"),
    )
    .select(["key.id", "key.name", "key.teamId", "key.previousUntil", "key.unseenAt", "team.organizationId"])
    .select("maker.userId as readerId")
    .where("key.status", "=", "active")
    .where("key.unseenAt", "is not", null)
    .where("key.previousUntil", ">", nowMs)
    .where("key.previousUntil", "<=", nowMs + UNSEEN_AHEAD_MS)
    .where("told.keyId", "is", null)
    .limit(EXPIRING_MAX)
    .execute();
  let told = 0;
  for (const { previousUntil: expiresAt, unseenAt, readerId, ...key } of ending) {
    if (expiresAt === null || unseenAt === null || expiresAt - nowMs > nowMs - unseenAt) continue;
    const reader = readerId === null ? {} : { readerId };
    if (await tellOnce(tx, { ...key, expiresAt, newValueSince: isoTime(unseenAt), ...reader }, nowMs)) told++;
  }
  return told;
}

interface Ending {
  readonly id: string;
  readonly name: string;
  readonly teamId: string;
  readonly organizationId: string;
  readonly expiresAt: number;
  /** Where it is a value that ends and another waits. */
  readonly newValueSince?: string;
  readonly readerId?: number;
}

/** False where another process was first. */
async function tellOnce(
  tx: Kysely<Tables>,
  { id: keyId, organizationId, expiresAt, readerId, ...rest }: Ending,
  atMs: number,
): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto("toldExpiries")
    .values({ keyId, expiresAt })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  if (!numInsertedOrUpdatedRows) return false;
  const data = { keyId, ...rest, expiresAt: isoTime(expiresAt) };
  const reader = readerId === undefined ? {} : { readerId };
  await tell(tx, { type: "key.expiring", organizationId, data, atMs, ...reader });
  return true;
}

/** In one go; the rest has its turn a moment later. */
const EXPIRING_MAX = 500;
const UNSEEN_AHEAD_MS = 24 * 60 * 60_000;
