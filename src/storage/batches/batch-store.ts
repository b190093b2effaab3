import type { Kysely, Selectable } from "kysely";
import { ACTIVE_STATUSES } from "../../batches/batch-states.ts";
import type { Batch } from "../../batches/records.ts";
import type { BatchStore } from "../../batches/store.ts";
import { LEASE_MAX_MS } from "../../lib/leased-task-runner.ts";
import { cursorSlice } from "../assistants/cursor-slice.ts";
import { equalsOrNull, requireEnds } from "../assistants/owned.ts";
import { isSqlite } from "../json-rows.ts";
import type { Tables } from "../tables.ts";
import { inTransaction } from "../transaction.ts";

export function batchStore(db: Kysely<Tables>): BatchStore {
  const store: BatchStore = {
    async find({ teamId }, id) {
      const row = await db
        .selectFrom("batches")
        .selectAll()
        .where("id", "=", id)
        .where("teamId", equalsOrNull(teamId), teamId)
        .executeTakeFirst();
      return row ? decode(row) : null;
    },
    async insert(batch) {
      await db.insertInto("batches").values(encode(batch)).execute();
    },
    change: (id, decide) => inTransaction(db, (tx) => change(tx, id, decide)),
    end: (id, decide) =>
      inTransaction(db, async (tx) => {
        const ended = await change(tx, id, decide);
        if (ended) await tx.deleteFrom("batchLines").where("batchId", "=", id).execute();
        return ended;
      }),
    async list(owner, cursor) {
      const ends = await requireEnds(cursor, "batch", async (id) => (await store.find(owner, id))?.id ?? null);
      const query = db.selectFrom("batches").selectAll().where("teamId", equalsOrNull(owner.teamId), owner.teamId);
      return cursorSlice(query, "id", { ...cursor, ...ends }, decode);
    },
    async countActive({ teamId }) {
      const { count } = await db
        .selectFrom("batches")
        .select(({ fn }) => fn.countAll().as("count"))
        .where("teamId", equalsOrNull(teamId), teamId)
        .where("status", "in", ACTIVE_STATUSES)
        .executeTakeFirstOrThrow();
      return Number(count);
    },
    async renew(process, ids, leaseUntil) {
      if (ids.length === 0) return [];
      return db
        .updateTable("batches")
        .set({ leaseUntil })
        .where("id", "in", [...ids])
        .where("leaseOwner", "=", process)
        .where("status", "in", ACTIVE_STATUSES)
        .returning(["id", "status"])
        .execute();
    },
    async listDue(nowMs, limit) {
      const rows = await db
        .selectFrom("batches")
        .selectAll()
        .where("status", "in", ACTIVE_STATUSES)
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
    keepLine: (process, batchId, result) =>
      inTransaction(db, async (tx) => {
        // Asked first: a line of a batch that is gone, as with its team, would be one of nothing.
        const held = tx.selectFrom("batches").select("id").where("id", "=", batchId).where("leaseOwner", "=", process);
        if (!(await (isSqlite(tx) ? held : held.forUpdate()).executeTakeFirst())) return false;
        const { numInsertedOrUpdatedRows } = await tx
          .insertInto("batchLines")
          .values({ batchId, ...result })
          .onConflict((conflict) => conflict.doNothing())
          .executeTakeFirst();
        // Kept before, by a try whose answer was lost on its way back: it is counted already.
        if (!numInsertedOrUpdatedRows) return true;
        const counter = result.failed ? "failed" : "completed";
        await tx
          .updateTable("batches")
          .set((eb) => ({ [counter]: eb(counter, "+", 1), attempts: 0 }))
          .where("id", "=", batchId)
          .execute();
        return true;
      }),
    async listDone(batchId) {
      const rows = await db.selectFrom("batchLines").select("line").where("batchId", "=", batchId).execute();
      return rows.map(({ line }) => line);
    },
    async listResults(batchId, failed, after, limit) {
      return db
        .selectFrom("batchLines")
        .select(["line", "failed", "text"])
        .where("batchId", "=", batchId)
        .where("failed", "=", failed)
        .where("line", ">", after)
        .orderBy("line")
        .limit(limit)
        .execute();
    },
  };
  return store;
}

async function change(tx: Kysely<Tables>, id: string, decide: (batch: Batch) => Batch | null): Promise<Batch | null> {
  const found = tx.selectFrom("batches").selectAll().where("id", "=", id);
  const row = await (isSqlite(tx) ? found : found.forUpdate()).executeTakeFirst();
  const next = row ? decide(decode(row)) : null;
  if (next) await tx.updateTable("batches").set(encode(next)).where("id", "=", id).execute();
  return next;
}

const encode = ({ asked, progress, ...batch }: Batch): Tables["batches"] => ({
  ...batch,
  asked: JSON.stringify(asked),
  progress: JSON.stringify(progress),
});

const decode = ({ asked, progress, ...row }: Selectable<Tables["batches"]>): Batch => ({
  ...row,
  asked: JSON.parse(asked) as Batch["asked"],
  progress: JSON.parse(progress) as Batch["progress"],
});
