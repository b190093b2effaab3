import { type Kysely, type Selectable, sql } from "kysely";
import type { Message } from "../../assistants/records.ts";
import type { MessageStore } from "../../assistants/store.ts";
import type { Tables } from "../tables.ts";
import { inTransaction } from "../transaction.ts";
import { cursorSlice } from "./cursor-slice.ts";
import { missing, requireEnds } from "./owned.ts";

export function messageStore(db: Kysely<Tables>): MessageStore {
  const store: MessageStore = {
    async find(threadId, id) {
      const row = await db
        .selectFrom("threadMessages")
        .selectAll()
        .where("id", "=", id)
        .where("threadId", "=", threadId)
        .executeTakeFirst();
      return row ? decode(row) : null;
    },
    append: (threadId, messages) =>
      inTransaction(db, async (tx) => {
        if (messages.length === 0) return [];
        const counted = await tx
          .updateTable("threads")
          .set({ messagesMade: sql<number>`messages_made + ${messages.length}` })
          .where("id", "=", threadId)
          .returning("messagesMade")
          .executeTakeFirst();
        if (!counted) throw missing("thread", threadId);
        const first = Number(counted.messagesMade) - messages.length;
        const placed = messages.map((message, index) => ({ ...message, position: first + index }));
        for (const message of placed) await tx.insertInto("threadMessages").values(encode(message)).execute();
        return placed;
      }),
    async update(message) {
      const { fields } = encode(message);
      const { numUpdatedRows } = await db
        .updateTable("threadMessages")
        .set({ fields })
        .where("id", "=", message.id)
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },
    async remove(threadId, id) {
      const { numDeletedRows } = await db
        .deleteFrom("threadMessages")
        .where("id", "=", id)
        .where("threadId", "=", threadId)
        .executeTakeFirst();
      return numDeletedRows > 0n;
    },
    async list(threadId, cursor, runId) {
      const place = async (id: string) => (await store.find(threadId, id))?.position ?? null;
      const ends = await requireEnds(cursor, "message", place);
      let query = db.selectFrom("threadMessages").selectAll().where("threadId", "=", threadId);
      if (runId !== undefined) query = query.where("runId", "=", runId);
      return cursorSlice(query, "position", { ...cursor, ...ends }, decode);
    },
  };
  return store;
}

function encode({ id, threadId, position, createdAt, runId, ...fields }: Message): Tables["threadMessages"] {
  return { id, threadId, position, createdAt, runId, fields: JSON.stringify(fields) };
}

function decode({ fields, position, ...row }: Selectable<Tables["threadMessages"]>): Message {
  const kept = JSON.parse(fields) as Omit<Message, "id" | "threadId" | "position" | "createdAt" | "runId">;
  return { ...kept, ...row, position: Number(position) };
}
