import type { Kysely, Selectable } from "kysely";
import type { Run } from "../../assistants/run-records.ts";
import { isActive } from "../../assistants/run-states.ts";
import type { RunStore } from "../../assistants/store.ts";
import { LEASE_MAX_MS } from "../../lib/leased-task-runner.ts";
import { isSqlite } from "../json-rows.ts";
import type { Tables } from "../tables.ts";
import { inTransaction } from "../transaction.ts";
import { cursorSlice } from "./cursor-slice.ts";
import { requireEnds } from "./owned.ts";

/** Ids that one statement names. */
const IDS_MAX = 500;

export function runStore(db: Kysely<Tables>): RunStore {
  const store: RunStore = {
    async find(threadId, id) {
      const row = await db
        .selectFrom("runs")
        .selectAll()
        .where("id", "=", id)
        .where("threadId", "=", threadId)
        .executeTakeFirst();
      return row ? decode(row) : null;
    },
    async insert(run) {
      await db.insertInto("runs").values(encode(run)).execute();
    },
    change: (id, decide) =>
      inTransaction(db, async (tx) => {
        const found = tx.selectFrom("runs").selectAll().where("id", "=", id);
        const row = await (isSqlite(tx) ? found : found.forUpdate()).executeTakeFirst();
        const next = row ? decide(decode(row)) : null;
        if (next) await tx.updateTable("runs").set(encode(next)).where("id", "=", id).execute();
        return next;
      }),
    async list(threadId, cursor) {
      const ends = await requireEnds(cursor, "run", async (id) => (await store.find(threadId, id))?.id ?? null);
      const query = db.selectFrom("runs").selectAll().where("threadId", "=", threadId);
      return cursorSlice(query, "id", { ...cursor, ...ends }, decode);
    },
    async isHeldBy(owner, { id, attempts }) {
      const { numUpdatedRows } = await db
        .updateTable("runs")
        .set((eb) => ({ attempts: eb.ref("attempts") }))
        .where("id", "=", id)
        .where("leaseOwner", "=", owner)
        .where("attempts", "=", attempts)
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },
    async renew(owner, ids, leaseUntil) {
      const renewed = [];
      for (let at = 0; at < ids.length; at += IDS_MAX) {
        const part = db
          .updateTable("runs")
          .set({ leaseUntil })
          .where("id", "in", ids.slice(at, at + IDS_MAX))
          .where("leaseOwner", "=", owner)
          .where("status", "in", ["queued", "in_progress", "cancelling"])
          .returning(["id", "status"]);
        renewed.push(...(await part.execute()));
      }
      return renewed;
    },
    async listDue(nowMs, limit) {
      const rows = await db
        .selectFrom("runs")
        .selectAll()
        .where("activeThreadId", "is not", null)
        .where(({ or, and, eb }) =>
          or([
            and([
              eb("status", "in", ["queued", "in_progress", "cancelling"]),
              or([
                eb("leaseUntil", "is", null),
                eb("leaseUntil", "<=", nowMs),
                eb("leaseUntil", ">", nowMs + LEASE_MAX_MS),
              ]),
            ]),
            and([eb("status", "=", "requires_action"), eb("expiresAt", "<=", nowMs)]),
          ]),
        )
        .orderBy("id")
        .limit(limit)
        .execute();
      return rows.map(decode);
    },
  };
  return store;
}

function encode({ settings, progress, metadata, ...run }: Run): Tables["runs"] {
  return {
    ...run,
    settings: JSON.stringify(settings),
    progress: JSON.stringify(progress),
    metadata: JSON.stringify(metadata),
    activeThreadId: isActive(run.status) ? run.threadId : null,
  };
}

function decode({ activeThreadId: _, ...row }: Selectable<Tables["runs"]>): Run {
  return {
    ...row,
    attempts: Number(row.attempts),
    settings: JSON.parse(row.settings) as Run["settings"],
    progress: JSON.parse(row.progress) as Run["progress"],
    metadata: JSON.parse(row.metadata) as Run["metadata"],
  };
}
