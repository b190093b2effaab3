import { type Kysely, type Selectable, sql } from "kysely";
import type { Owner } from "../../contract/cursor.ts";
import type { VectorStore } from "../../files/records.ts";
import type { VectorStoreStore } from "../../files/store.ts";
import { cursorSlice } from "../assistants/cursor-slice.ts";
import { equalsOrNull, requireEnds } from "../assistants/owned.ts";
import { isSqlite } from "../json-rows.ts";
import type { Tables } from "../tables.ts";

export function vectorStoreStore(db: Kysely<Tables>): VectorStoreStore {
  const one = ({ teamId }: Owner, id: string) =>
    db.selectFrom("vectorStores").selectAll().where("id", "=", id).where("teamId", equalsOrNull(teamId), teamId);
  const store: VectorStoreStore = {
    async find(owner, id) {
      const row = await one(owner, id).executeTakeFirst();
      return row ? decode(row) : null;
    },
    async hold(owner, id) {
      const row = await (isSqlite(db) ? one(owner, id) : one(owner, id).forUpdate()).executeTakeFirst();
      return row ? decode(row) : null;
    },
    async insert(made) {
      await db.insertInto("vectorStores").values(encode(made)).execute();
    },
    async update(changed) {
      const { numUpdatedRows } = await db
        .updateTable("vectorStores")
        .set(encode(changed))
        .where("id", "=", changed.id)
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },
    async touch(id, lastActiveAt, expiresAt) {
      const { numUpdatedRows } = await db
        .updateTable("vectorStores")
        .set({ lastActiveAt, expiresAt })
        .where("id", "=", id)
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },
    async remove({ teamId }, id) {
      const { numDeletedRows } = await db
        .deleteFrom("vectorStores")
        .where("id", "=", id)
        .where("teamId", equalsOrNull(teamId), teamId)
        .executeTakeFirst();
      return numDeletedRows > 0n;
    },
    async list(owner, cursor) {
      const ends = await requireEnds(cursor, "vector store", async (id) => (await store.find(owner, id))?.id ?? null);
      const query = db.selectFrom("vectorStores").selectAll().where("teamId", equalsOrNull(owner.teamId), owner.teamId);
      return cursorSlice(query, "id", { ...cursor, ...ends }, decode);
    },
    async countsOf(where) {
      const [column, id] =
        "batchId" in where ? (["batchId", where.batchId] as const) : (["vectorStoreId", where.vectorStoreId] as const);
      const rows = await db
        .selectFrom("vectorStoreFiles")
        .select(["status", sql<bigint>`count(*)`.as("files"), sql<bigint>`cast(sum(used_bytes) as bigint)`.as("bytes")])
        .where(column, "=", id)
        .groupBy("status")
        .execute();
      const counts = { in_progress: 0, completed: 0, cancelled: 0, failed: 0, usedBytes: 0 };
      for (const { status, files, bytes } of rows) {
        counts[status] = Number(files);
        counts.usedBytes += Number(bytes);
      }
      return counts;
    },
    async insertBatch(batch) {
      await db.insertInto("vectorStoreBatches").values(batch).execute();
    },
    async findBatch(vectorStoreId, id) {
      const row = await db
        .selectFrom("vectorStoreBatches")
        .selectAll()
        .where("id", "=", id)
        .where("vectorStoreId", "=", vectorStoreId)
        .executeTakeFirst();
      return row ?? null;
    },
    async clearExpired(nowMs) {
      const over = db.selectFrom("vectorStores").select("id").where("expiresAt", "<=", nowMs);
      const { numDeletedRows } = await db
        .deleteFrom("vectorStoreFiles")
        .where("vectorStoreId", "in", over)
        .executeTakeFirst();
      return Number(numDeletedRows);
    },
  };
  return store;
}

function encode({ id, teamId, createdAt, lastActiveAt, expiresAt, ...fields }: VectorStore): Tables["vectorStores"] {
  return { id, teamId, createdAt, lastActiveAt, expiresAt, fields: JSON.stringify(fields) };
}

type Kept = Omit<VectorStore, "id" | "teamId" | "createdAt" | "lastActiveAt" | "expiresAt">;
const decode = ({ fields, ...row }: Selectable<Tables["vectorStores"]>): VectorStore => ({
  ...(JSON.parse(fields) as Kept),
  ...row,
});
