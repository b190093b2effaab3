import type { Kysely, Selectable } from "kysely";
import type { StoreEntry } from "../../files/records.ts";
import type { EntryStore } from "../../files/store.ts";
import { LEASE_MAX_MS } from "../../lib/leased-task-runner.ts";
import { cursorSlice } from "../assistants/cursor-slice.ts";
import { requireEnds } from "../assistants/owned.ts";
import { isSqlite } from "../json-rows.ts";
import type { Tables } from "../tables.ts";
import { inTransaction } from "../transaction.ts";

/** Ids that one statement names. */
const IDS_MAX = 500;

export function entryStore(db: Kysely<Tables>): EntryStore {
  const store: EntryStore = {
    async find(vectorStoreId, fileId) {
      const row = await db
        .selectFrom("vectorStoreFiles")
        .selectAll()
        .where("vectorStoreId", "=", vectorStoreId)
        .where("fileId", "=", fileId)
        .executeTakeFirst();
      return row ? decode(row) : null;
    },
    async findNamed(vectorStoreId, fileId) {
      const entry = await store.find(vectorStoreId, fileId);
      const file = await db.selectFrom("files").select("name").where("id", "=", fileId).executeTakeFirst();
      return entry && file ? { ...entry, fileName: file.name } : null;
    },
    async listRead(vectorStoreId, fileIds) {
      if (fileIds.length === 0) return [];
      const rows = await db
        .selectFrom("vectorStoreFiles")
        .innerJoin("files", "files.id", "vectorStoreFiles.fileId")
        .selectAll("vectorStoreFiles")
        .select("files.name as fileName")
        .where("vectorStoreId", "=", vectorStoreId)
        .where("fileId", "in", [...fileIds])
        .where("status", "=", "completed")
        .execute();
      return rows.map(({ fileName, ...row }) => ({ ...decode(row), fileName }));
    },
    put: (entry) =>
      inTransaction(db, async (tx) => {
        await tx
          .deleteFrom("vectorStoreFiles")
          .where("vectorStoreId", "=", entry.vectorStoreId)
          .where("fileId", "=", entry.fileId)
          .execute();
        await tx.insertInto("vectorStoreFiles").values(encode(entry)).execute();
      }),
    change: (id, decide) =>
      inTransaction(db, async (tx) => {
        const found = tx.selectFrom("vectorStoreFiles").selectAll().where("id", "=", id);
        const row = await (isSqlite(tx) ? found : found.forUpdate()).executeTakeFirst();
        const next = row ? decide(decode(row)) : null;
        if (next) await tx.updateTable("vectorStoreFiles").set(encode(next)).where("id", "=", id).execute();
        return next;
      }),
    async remove(vectorStoreId, fileId) {
      const { numDeletedRows } = await db
        .deleteFrom("vectorStoreFiles")
        .where("vectorStoreId", "=", vectorStoreId)
        .where("fileId", "=", fileId)
        .executeTakeFirst();
      return numDeletedRows > 0n;
    },
    async list(vectorStoreId, cursor, { status, batchId } = {}) {
      const ends = await requireEnds(cursor, "file", async (id) => (await store.find(vectorStoreId, id))?.id ?? null);
      let query = db.selectFrom("vectorStoreFiles").selectAll().where("vectorStoreId", "=", vectorStoreId);
      if (status !== undefined) query = query.where("status", "=", status);
      if (batchId !== undefined) query = query.where("batchId", "=", batchId);
      return cursorSlice(query, "id", { ...cursor, ...ends }, decode);
    },
    async renew(owner, ids, leaseUntil) {
      const renewed: string[] = [];
      for (let at = 0; at < ids.length; at += IDS_MAX) {
        const rows = await db
          .updateTable("vectorStoreFiles")
          .set({ leaseUntil })
          .where("id", "in", ids.slice(at, at + IDS_MAX))
          .where("leaseOwner", "=", owner)
          .where("status", "=", "in_progress")
          .returning("id")
          .execute();
        renewed.push(...rows.map(({ id }) => id));
      }
      return renewed;
    },
    async release(owner) {
      await db
        .updateTable("vectorStoreFiles")
        .set({ leaseOwner: null, leaseUntil: null })
        .where("leaseOwner", "=", owner)
        .where("status", "=", "in_progress")
        .execute();
    },
    async listDue(nowMs, limit) {
      const rows = await db
        .selectFrom("vectorStoreFiles")
        .selectAll()
        .where("status", "=", "in_progress")
        .where(({ or, eb }) =>
          or([
            eb("leaseUntil", "is", null),
            eb("leaseUntil", "<=", nowMs),
            eb("leaseUntil", ">", nowMs + LEASE_MAX_MS),
          ]),
        )
        .orderBy("id")
        .limit(limit)
        .execute();
      return rows.map(decode);
    },
    async cancelBatch(batchId) {
      const cancelled = await db
        .updateTable("vectorStoreFiles")
        .set({ status: "cancelled", leaseOwner: null, leaseUntil: null })
        .where("batchId", "=", batchId)
        .where("status", "=", "in_progress")
        .returning("id")
        .execute();
      // What was read of them so far; nothing is added to a file that is cancelled.
      for (const { id } of cancelled) await db.deleteFrom("passages").where("entryId", "=", id).execute();
    },
  };
  return store;
}

function encode({
  chunking,
  attributes,
  lastError,
  source,
  organizationId,
  usedBytes,
  ...row
}: StoreEntry): Tables["vectorStoreFiles"] {
  return {
    ...row,
    usedBytes: BigInt(usedBytes),
    fields: JSON.stringify({ chunking, attributes, lastError, source, organizationId }),
  };
}

function decode({ fields, usedBytes, attempts, ...row }: Selectable<Tables["vectorStoreFiles"]>): StoreEntry {
  const kept = JSON.parse(fields) as Pick<StoreEntry, "chunking" | "attributes" | "lastError" | "source"> &
    Partial<Pick<StoreEntry, "organizationId">>;
  return {
    ...kept,
    organizationId: kept.organizationId ?? null,
    ...row,
    usedBytes: Number(usedBytes),
    attempts: Number(attempts),
  };
}
