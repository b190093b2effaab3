import type { Kysely } from "kysely";
import type { BackgroundResponse, BackgroundStore } from "../../assistants/background-store.ts";
import { splitEvents } from "../../assistants/response-event.ts";
import type { ResponseAnswer } from "../../contract/responses.ts";
import { type Held, LEASE_MAX_MS } from "../../lib/leased-task-runner.ts";
import { isSqlite } from "../json-rows.ts";
import type { Tables } from "../tables.ts";
import { inTransaction } from "../transaction.ts";
import { keptResponseStore } from "./responses.ts";

/** Ids that one statement names. */
const IDS_MAX = 500;
/** Rows of events that are read in one go. */
const EVENT_ROWS_MAX = 100;

export function backgroundStore(db: Kysely<Tables>): BackgroundStore {
  return {
    insert: (kept, { work, events }) =>
      inTransaction(db, async (tx) => {
        await keptResponseStore(tx).insert(kept);
        await tx
          .insertInto("backgroundResponses")
          .values({ ...work, told: splitEvents(events).length })
          .execute();
        await insertEvents(tx, work.id, work.told, events);
      }),
    async find(id) {
      const row = await db.selectFrom("backgroundResponses").selectAll().where("id", "=", id).executeTakeFirst();
      return row ? decode(row) : null;
    },
    change: (id, decide) =>
      inTransaction(db, async (tx) => {
        // The response first, as who deletes it has it: two that lock in another order would wait for each other.
        const found = tx.selectFrom("responses").select("answer").where("id", "=", id);
        const kept = await (isSqlite(tx) ? found : found.forUpdate()).executeTakeFirst();
        const behind = tx.selectFrom("backgroundResponses").selectAll().where("id", "=", id);
        const row = await (isSqlite(tx) ? behind : behind.forUpdate()).executeTakeFirst();
        const next = kept && row ? decide(decode(row), JSON.parse(kept.answer) as ResponseAnswer) : null;
        if (!next) return null;
        const told = await insertEvents(tx, id, next.work.told, next.events);
        await tx
          .updateTable("backgroundResponses")
          .set({ ...next.work, told })
          .where("id", "=", id)
          .execute();
        const answer = JSON.stringify(next.answer);
        await tx.updateTable("responses").set({ answer }).where("id", "=", id).execute();
        return next;
      }),
    append: (owner, id, from, events) =>
      inTransaction(db, async (tx) => {
        const { numUpdatedRows } = await tx
          .updateTable("backgroundResponses")
          .set({ told: from + splitEvents(events).length })
          .where("id", "=", id)
          .where("leaseOwner", "=", owner)
          .executeTakeFirst();
        if (numUpdatedRows === 0n) return false;
        await insertEvents(tx, id, from, events);
        return true;
      }),
    async eventsAfter(id, after) {
      const rows = await db
        .selectFrom("responseEvents")
        .select(["last", "events"])
        .where("responseId", "=", id)
        .where("last", ">", after)
        .orderBy("last")
        .limit(EVENT_ROWS_MAX)
        .execute();
      let [text, last] = ["", after];
      for (const row of rows) {
        // Some may have been written twice, when it was not known whether they were.
        const fresh = Number(row.last) - last;
        text += splitEvents(row.events).slice(-fresh).join("");
        last = Number(row.last);
      }
      return rows.length === 0 ? null : { text, last };
    },
    async renew(owner, ids, leaseUntil) {
      const renewed: Held[] = [];
      for (let at = 0; at < ids.length; at += IDS_MAX) {
        const rows = await db
          .updateTable("backgroundResponses")
          .set({ leaseUntil })
          .where("id", "in", ids.slice(at, at + IDS_MAX))
          .where("leaseOwner", "=", owner)
          .returning(["id", "status"])
          .execute();
        renewed.push(...rows);
      }
      return renewed;
    },
    async listDue(nowMs, max) {
      const rows = await db
        .selectFrom("backgroundResponses")
        .selectAll()
        .where("status", "in", ["queued", "in_progress"])
        .where(({ or, eb }) => or([eb("leaseUntil", "<=", nowMs), eb("leaseUntil", ">", nowMs + LEASE_MAX_MS)]))
        .orderBy("id")
        .limit(max)
        .execute();
      return rows.map(decode);
    },
    async removeEnded(beforeMs) {
      await db.deleteFrom("backgroundResponses").where("endedAt", "<=", beforeMs).execute();
    },
  };
}

/** How many were told with these. */
async function insertEvents(tx: Kysely<Tables>, responseId: string, from: number, events: string): Promise<number> {
  const told = from + splitEvents(events).length;
  if (told === from) return told;
  await tx
    .insertInto("responseEvents")
    .values({ responseId, last: told - 1, events })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  return told;
}

const decode = (row: Tables["backgroundResponses"]): BackgroundResponse => ({ ...row, told: Number(row.told) });
