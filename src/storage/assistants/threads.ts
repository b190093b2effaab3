import type { Kysely } from "kysely";
import type { Thread } from "../../assistants/records.ts";
import type { ThreadStore } from "../../assistants/store.ts";
import type { Tables } from "../tables.ts";
import { cursorSlice } from "./cursor-slice.ts";
import { equalsOrNull, missing, requireEnds } from "./owned.ts";

const COLUMNS = ["id", "teamId", "createdAt", "fields"] as const;

export function threadStore(db: Kysely<Tables>): ThreadStore {
  const store: ThreadStore = {
    async find(owner, id) {
      const row = await db
        .selectFrom("threads")
        .select(COLUMNS)
        .where("id", "=", id)
        .where("teamId", equalsOrNull(owner.teamId), owner.teamId)
        .executeTakeFirst();
      return row ? decode(row) : null;
    },
    async insert({ id, teamId, createdAt, ...fields }) {
      await db
        .insertInto("threads")
        .values({ id, teamId, createdAt, messagesMade: 0, fields: JSON.stringify(fields) })
        .execute();
    },
    async update({ id, teamId: _, createdAt: __, ...fields }) {
      const { numUpdatedRows } = await db
        .updateTable("threads")
        .set({ fields: JSON.stringify(fields) })
        .where("id", "=", id)
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },
    async remove(owner, id) {
      const { numDeletedRows } = await db
        .deleteFrom("threads")
        .where("id", "=", id)
        .where("teamId", equalsOrNull(owner.teamId), owner.teamId)
        .executeTakeFirst();
      return numDeletedRows > 0n;
    },
    async list(owner, cursor) {
      const ends = await requireEnds(cursor, "thread", async (id) => (await store.find(owner, id))?.id ?? null);
      const query = db.selectFrom("threads").select(COLUMNS).where("teamId", equalsOrNull(owner.teamId), owner.teamId);
      return cursorSlice(query, "id", { ...cursor, ...ends }, decode);
    },
    async lock(id) {
      // Writing the row as it is holds it until the end of the transaction, on both databases.
      const { numUpdatedRows } = await db
        .updateTable("threads")
        .set((eb) => ({ messagesMade: eb.ref("messagesMade") }))
        .where("id", "=", id)
        .executeTakeFirst();
      if (numUpdatedRows === 0n) throw missing("thread", id);
      const run = await db.selectFrom("runs").select("id").where("activeThreadId", "=", id).executeTakeFirst();
      return { activeRunId: run?.id ?? null };
    },
  };
  return store;
}

function decode({ fields, ...row }: { id: string; teamId: string | null; createdAt: number; fields: string }): Thread {
  return { ...(JSON.parse(fields) as Omit<Thread, "id" | "teamId" | "createdAt">), ...row };
}
