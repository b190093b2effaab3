import type { Kysely, Selectable } from "kysely";
import type { Assistant } from "../../assistants/records.ts";
import type { AssistantStore, Owner } from "../../assistants/store.ts";
import { isSqlite } from "../json-rows.ts";
import type { Tables } from "../tables.ts";
import { cursorSlice } from "./cursor-slice.ts";
import { equalsOrNull, requireEnds } from "./owned.ts";

export function assistantStore(db: Kysely<Tables>): AssistantStore {
  const one = ({ teamId }: Owner, id: string) =>
    db.selectFrom("assistants").selectAll().where("id", "=", id).where("teamId", equalsOrNull(teamId), teamId);
  const store: AssistantStore = {
    async find(owner, id) {
      const row = await one(owner, id).executeTakeFirst();
      return row ? decode(row) : null;
    },
    async hold(owner, id) {
      const row = await (isSqlite(db) ? one(owner, id) : one(owner, id).forUpdate()).executeTakeFirst();
      return row ? decode(row) : null;
    },
    async insert({ id, teamId, createdAt, ...fields }) {
      await db
        .insertInto("assistants")
        .values({ id, teamId, createdAt, fields: JSON.stringify(fields) })
        .execute();
    },
    async update({ id, teamId: _, createdAt: __, ...fields }) {
      const { numUpdatedRows } = await db
        .updateTable("assistants")
        .set({ fields: JSON.stringify(fields) })
        .where("id", "=", id)
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },
    async remove(owner, id) {
      const { numDeletedRows } = await db
        .deleteFrom("assistants")
        .where("id", "=", id)
        .where("teamId", equalsOrNull(owner.teamId), owner.teamId)
        .executeTakeFirst();
      return numDeletedRows > 0n;
    },
    async list(owner, cursor) {
      const ends = await requireEnds(cursor, "assistant", async (id) => (await store.find(owner, id))?.id ?? null);
      const query = db.selectFrom("assistants").selectAll().where("teamId", equalsOrNull(owner.teamId), owner.teamId);
      return cursorSlice(query, "id", { ...cursor, ...ends }, decode);
    },
  };
  return store;
}

const decode = ({ fields, ...row }: Selectable<Tables["assistants"]>): Assistant => ({
  ...(JSON.parse(fields) as Omit<Assistant, "id" | "teamId" | "createdAt">),
  ...row,
});
