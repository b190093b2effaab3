import { type Kysely, sql } from "kysely";
import type { Notice, NoticeWriter } from "../../billing/notice-stores.ts";
import { type BudgetWindow, isWithinDay } from "../../contract/duration.ts";
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

/** Of budgets only what is pressing, and nothing that may come several times a day. */
const MAILED_FROM_PERCENT = 80;
const isMailed = (type: string, data: Notice["data"]): boolean =>
  MAILED.has(type) ||
  // Whoever rotates a key by hand has seen its value.
  (type === "key.rotated" && data.scheduled === true) ||
  (type === "budget.threshold" &&
    !isWithinDay(data.window as BudgetWindow) &&
    Number(data.percent) >= MAILED_FROM_PERCENT);

export const noticeDesk = (db: Kysely<Tables>): NoticeWriter => ({
  tell: (notice) => tell(db, notice),
  tellOfExpiring: async (beforeMs, nowMs) =>
    (await inPages(db, (tx, after) => tellOfEnding(tx, beforeMs, nowMs, after))) +
    (await inPages(db, (tx, after) => tellOfUnseen(tx, nowMs, after))),
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

/** Where a page ends: the next one begins after it, so that none is looked at twice and all are looked at. */
interface Place {
  readonly endsAt: number;
  readonly id: string;
}

interface PageTold {
  readonly told: number;
  /** Null where nothing can come after it. */
  readonly last: Place | null;
}

const BEFORE_ALL: Place = { endsAt: 0, id: "" };

/** Each page in a transaction of its own: what was told stays told, and nobody waits for all of them. */
async function inPages(
  db: Kysely<Tables>,
  page: (tx: Kysely<Tables>, after: Place) => Promise<PageTold>,
): Promise<number> {
  let told = 0;
  for (let after: Place | null = BEFORE_ALL; after !== null; ) {
    const from: Place = after;
    const done = await inTransaction(db, (tx) => page(tx, from));
    told += done.told;
    after = done.last;
  }
  return told;
}

const endOf = (rows: readonly { readonly id: string }[], endsAt: number | null | undefined): Place | null => {
  const last = rows.at(-1);
  return rows.length < PAGE_SIZE || !last || !endsAt ? null : { endsAt, id: last.id };
};

async function tellOfEnding(tx: Kysely<Tables>, beforeMs: number, nowMs: number, after: Place): Promise<PageTold> {
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
    .where(isAfter("key.expiresAt", after))
    .orderBy("key.expiresAt")
    .orderBy("key.id")
    .limit(PAGE_SIZE)
    .execute();
  let told = 0;
  for (const key of ending) {
    if (key.expiresAt !== null && (await tellOnce(tx, { ...key, expiresAt: key.expiresAt }, nowMs))) told++;
  }
  return { told, last: endOf(ending, ending.at(-1)?.expiresAt) };
}

/** Values that end although nobody has picked their successors up: half of their time is over, and a day at most is left. */
async function tellOfUnseen(tx: Kysely<Tables>, nowMs: number, after: Place): Promise<PageTold> {
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
    .where(isAfter("key.previousUntil", after))
    .orderBy("key.previousUntil")
    .orderBy("key.id")
    .limit(PAGE_SIZE)
    .execute();
  let told = 0;
  for (const { previousUntil: expiresAt, unseenAt, readerId, ...key } of ending) {
    if (expiresAt === null || unseenAt === null || expiresAt - nowMs > nowMs - unseenAt) continue;
    const reader = readerId === null ? {} : { readerId };
    if (await tellOnce(tx, { ...key, expiresAt, newValueSince: isoTime(unseenAt), ...reader }, nowMs)) told++;
  }
  return { told, last: endOf(ending, ending.at(-1)?.previousUntil) };
}

const isAfter = (column: "key.expiresAt" | "key.previousUntil", { endsAt, id }: Place) =>
  sql<boolean>`(${sql.ref(column)} > ${endsAt} or (${sql.ref(column)} = ${endsAt} and ${sql.ref("key.id")} > ${id}))`;

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

const PAGE_SIZE = 500;
const UNSEEN_AHEAD_MS = 24 * 60 * 60_000;
