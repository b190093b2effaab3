import { type Kysely, type SelectQueryBuilder, sql } from "kysely";
import type { KeyOrder, KeyStore } from "../../accounts/store.ts";
import { jsonRows } from "../json-rows.ts";
import { PreparedQuery } from "../prepared-query.ts";
import { statement } from "../statement.ts";
import type { Tables } from "../tables.ts";
import { contains } from "./contains.ts";
import { inOrder } from "./in-order.ts";
import { isEmpty } from "./is-empty.ts";
import { selectWithTeam, toKey, toKeyChanges, toKeyRow, toKeyWithTeam } from "./key-rows.ts";
import { selectStanding, toStanding } from "./key-standing.ts";
import { paged } from "./paged.ts";

const byHash = new PreparedQuery((db, hash) =>
  selectStanding(db)
    .where(({ or, eb }) => or([eb("key.hash", "=", hash), eb("key.previousHash", "=", hash)]))
    // Whose hash it is now goes before whose it was.
    .orderBy(sql`case when ${sql.ref("key.hash")} = ${hash} then 0 else 1 end`),
);

export function keyStore(db: Kysely<Tables>): KeyStore {
  return {
    async findByHash(hash) {
      const row = await byHash.first(db, hash);
      return row === undefined ? null : toStanding(row);
    },
    async find(reference) {
      const row = await selectWithTeam(db)
        .where(({ or, eb }) => or([eb("key.id", "=", reference), eb("key.handle", "=", reference)]))
        .executeTakeFirst();
      return row === undefined ? null : toKeyWithTeam(row);
    },
    async insert(key) {
      await db.insertInto("apiKeys").values(toKeyRow(key)).execute();
    },
    async update(id, changes) {
      const row = toKeyChanges(changes);
      if (isEmpty(row)) return;
      await db.updateTable("apiKeys").set(row).where("id", "=", id).execute();
    },
    async noteUse(used) {
      const rows = used.map(([id, at]) => ({ id, at }));
      await statement`
        update api_keys set last_used_at = r.at from ${jsonRows(USE_COLUMNS, rows)}
        where api_keys.id = r.id and coalesce(api_keys.last_used_at, 0) < r.at`.execute(db);
    },
    async remove(id) {
      await db.deleteFrom("apiKeys").where("id", "=", id).execute();
    },
    async disableOf(userId, at) {
      const { numUpdatedRows } = await db
        .updateTable("apiKeys")
        .set({ status: "disabled", updatedAt: at })
        .where("createdBy", "=", userId)
        .where("status", "=", "active")
        .executeTakeFirstOrThrow();
      return Number(numUpdatedRows);
    },
    async listDue(nowMs, limit, after) {
      let due = selectWithTeam(db)
        .where("key.rotationAt", "<=", nowMs)
        .where("key.status", "=", "active")
        .where(({ or, eb }) => or([eb("key.expiresAt", "is", null), eb("key.expiresAt", ">", nowMs)]))
        .orderBy("key.rotationAt")
        .orderBy("key.id")
        .limit(limit);
      if (after) {
        due = due.where(({ or, and, eb }) =>
          or([
            eb("key.rotationAt", ">", after.rotationAt),
            and([eb("key.rotationAt", "=", after.rotationAt), eb("key.id", ">", after.id)]),
          ]),
        );
      }
      return (await due.execute()).map(toKeyWithTeam);
    },
    async keepUnseen(keyId, sealed) {
      await db
        .insertInto("unseenKeyValues")
        .values({ keyId, sealed })
        .onConflict((conflict) => conflict.column("keyId").doUpdateSet({ sealed }))
        .execute();
    },
    async takeUnseen(keyId) {
      const row = await db
        .deleteFrom("unseenKeyValues")
        .where("keyId", "=", keyId)
        .returning("sealed")
        .executeTakeFirst();
      return row?.sealed ?? null;
    },
    async list({ teamIds, search, status, createdBy, handle, name }, page, order = NEWEST_FIRST) {
      // PostgreSQL has no empty list.
      if (teamIds?.length === 0) return { rows: [], total: 0 };
      const all = db.selectFrom("apiKeys").selectAll();
      let found = order.by === "spend" ? bySpend(all, order) : inOrder(db, all, order);
      if (teamIds !== null) found = found.where("teamId", "in", teamIds);
      if (status !== undefined) found = found.where("status", "=", status);
      if (createdBy !== undefined) found = found.where("createdBy", "=", createdBy);
      if (handle !== undefined) found = found.where("handle", "=", handle);
      if (name !== undefined) found = found.where("name", "=", name);
      if (search !== undefined) {
        found = found.where(({ or }) => or([contains("name", search), contains("last4", search)]));
      }
      const { rows, total } = await paged(found, page);
      return { rows: rows.map(toKey), total };
    },
  };
}

const USE_COLUMNS = { id: "text", at: "bigint" } as const;
const NEWEST_FIRST: KeyOrder = { by: "createdAt", direction: "desc" };

/** What each has ever spent, for the order alone: calls of a key in two teams or by two people are two sums. */
const bySpend = <Row>(
  keys: SelectQueryBuilder<Tables, "apiKeys", Row>,
  { direction }: KeyOrder,
): SelectQueryBuilder<Tables, "apiKeys", Row> =>
  keys
    .orderBy(
      ({ selectFrom, fn }) =>
        fn.coalesce(
          selectFrom("usageTotals")
            .select(({ fn: { sum } }) => sum<bigint>("cost").as("cost"))
            .whereRef("usageTotals.keyId", "=", "apiKeys.id"),
          sql<bigint>`0`,
        ),
      direction,
    )
    .orderBy("id", direction);
