import { type Kysely, sql } from "kysely";
import type { PaymentMethodStore, TopUpStore } from "../../billing/notice-stores.ts";
import { isEmpty } from "../accounts/is-empty.ts";
import type { Tables } from "../tables.ts";

export function paymentMethodStore(db: Kysely<Tables>): PaymentMethodStore {
  const removeActive = async (organizationId: string, atMs: number): Promise<number> => {
    const removed = await db
      .updateTable("paymentMethods")
      .set({ status: "removed", updatedAt: atMs })
      .where("organizationId", "=", organizationId)
      .where("status", "=", "active")
      .returning("id")
      .execute();
    return removed.length;
  };
  return {
    removeActive,
    async find(id) {
      return (await db.selectFrom("paymentMethods").selectAll().where("id", "=", id).executeTakeFirst()) ?? null;
    },
    async findActive(organizationId) {
      // The row outlives the organization, as all that has to do with payments does; nobody may charge it then.
      const found = await db
        .selectFrom("paymentMethods as method")
        .innerJoin("organizations as organization", "organization.id", "method.organizationId")
        .selectAll("method")
        .where("method.organizationId", "=", organizationId)
        .where("method.status", "=", "active")
        .executeTakeFirst();
      return found ?? null;
    },
    async insert(method) {
      await db.insertInto("paymentMethods").values(method).execute();
    },
    async activate({ id, organizationId }, found, atMs) {
      await removeActive(organizationId, atMs);
      await db
        .updateTable("paymentMethods")
        .set({ ...found, status: "active", updatedAt: atMs })
        .where("id", "=", id)
        .execute();
    },
  };
}

export function topUpStore(db: Kysely<Tables>): TopUpStore {
  return {
    async find(organizationId) {
      const found = await db
        .selectFrom("autoTopUps")
        .selectAll()
        .where("organizationId", "=", organizationId)
        .executeTakeFirst();
      return found ?? null;
    },
    async put({ organizationId, epoch, ...settings }) {
      // A top-up may begin just now: its number is its own to set, and one that is used again would never be charged.
      await db
        .insertInto("autoTopUps")
        .values({ organizationId, epoch, ...settings })
        .onConflict((conflict) => conflict.column("organizationId").doUpdateSet(settings))
        .execute();
    },
    async update(organizationId, { status, declines, retryAt, epoch, updatedAt }) {
      const changes = { status, declines, retryAt, epoch, updatedAt };
      if (isEmpty(changes)) return;
      await db.updateTable("autoTopUps").set(changes).where("organizationId", "=", organizationId).execute();
    },
    async findChargeable(organizationId) {
      const found = chargeable(db).where("topUp.organizationId", "=", organizationId);
      return (await found.executeTakeFirst()) ?? null;
    },
    listDue: (nowMs) => due(db, nowMs).execute(),
    async findDue(organizationId, nowMs) {
      const found = due(db, nowMs).where("topUp.organizationId", "=", organizationId);
      return (await found.executeTakeFirst()) ?? null;
    },
    async chargedSince(organizationId, sinceMs) {
      const { sum } = await db
        .selectFrom("topUpAttempts")
        .select(sql<bigint>`coalesce(sum(amount), 0)`.as("sum"))
        .where("organizationId", "=", organizationId)
        .where("status", "!=", "declined")
        .where("createdAt", ">=", sinceMs)
        .executeTakeFirstOrThrow();
      return sum;
    },
    async openAttempt(attempt) {
      // Two unique indexes stand guard: one open attempt, and one attempt for each epoch.
      const opened = await db
        .insertInto("topUpAttempts")
        .values(attempt)
        .onConflict((conflict) => conflict.doNothing())
        .returning("purchaseId")
        .executeTakeFirst();
      return opened !== undefined;
    },
    async endAttempt(purchaseId, status, error, atMs) {
      // What was given up may turn out to be paid; what is paid stays so.
      const before = status === "paid" ? (["open", "declined"] as const) : (["open"] as const);
      const ended = await db
        .updateTable("topUpAttempts")
        .set({ status, error, endedAt: atMs })
        .where("purchaseId", "=", purchaseId)
        .where("status", "in", before)
        .returning("purchaseId")
        .executeTakeFirst();
      return ended !== undefined;
    },
    async findAttempt(purchaseId) {
      const found = await db
        .selectFrom("topUpAttempts")
        .selectAll()
        .where("purchaseId", "=", purchaseId)
        .executeTakeFirst();
      return found ?? null;
    },
    listOpen(beforeMs) {
      return db
        .selectFrom("topUpAttempts")
        .selectAll()
        .where("status", "=", "open")
        .where("createdAt", "<", beforeMs)
        .execute();
    },
  };
}

/** Whose card may be charged at all: somebody must be there who could switch it off. */
const chargeable = (db: Kysely<Tables>) =>
  db
    .selectFrom("autoTopUps as topUp")
    .innerJoin("organizations as organization", "organization.id", "topUp.organizationId")
    .selectAll("topUp")
    .where("organization.status", "=", "active")
    .where("organization.billing", "=", "prepaid")
    .where("topUp.status", "=", "on")
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom("organizationMembers as member")
          .innerJoin("users as owner", "owner.id", "member.userId")
          .select("member.userId")
          .whereRef("member.organizationId", "=", "organization.id")
          .where("member.role", "=", "owner")
          .where("owner.status", "=", "active"),
      ),
    );

const due = (db: Kysely<Tables>, nowMs: number) =>
  chargeable(db)
    // Who never had credit has no wallet yet.
    .leftJoin("ledgerAccounts as wallet", "wallet.organizationId", "topUp.organizationId")
    .where(({ eb, fn, val, ref }) => eb(fn.coalesce("wallet.balance", val(0n)), "<", ref("topUp.threshold")))
    .where(({ or, eb }) => or([eb("topUp.retryAt", "is", null), eb("topUp.retryAt", "<=", nowMs)]));
