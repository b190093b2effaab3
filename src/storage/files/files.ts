import type { Kysely, Selectable } from "kysely";
import type { StoredFile } from "../../files/records.ts";
import type { FileStore } from "../../files/store.ts";
import { cursorSlice } from "../assistants/cursor-slice.ts";
import { equalsOrNull, requireEnds } from "../assistants/owned.ts";
import { isSqlite } from "../json-rows.ts";
import type { Tables } from "../tables.ts";

/** Ids that one statement names. */
const IDS_MAX = 500;

export function fileStore(db: Kysely<Tables>): FileStore {
  const store: FileStore = {
    async find({ teamId }, id) {
      const row = await db
        .selectFrom("files")
        .selectAll()
        .where("id", "=", id)
        .where("teamId", equalsOrNull(teamId), teamId)
        .executeTakeFirst();
      return row ? decode(row) : null;
    },
    async insert(file) {
      await db
        .insertInto("files")
        .values({ ...file, sizeBytes: BigInt(file.sizeBytes) })
        .execute();
    },
    async remove({ teamId }, id) {
      const { numDeletedRows } = await db
        .deleteFrom("files")
        .where("id", "=", id)
        .where("teamId", equalsOrNull(teamId), teamId)
        .executeTakeFirst();
      return numDeletedRows > 0n;
    },
    async hold({ teamId }, ids) {
      const held = new Set<string>();
      for (let at = 0; at < ids.length; at += IDS_MAX) {
        const part = db
          .selectFrom("files")
          .select("id")
          .where("id", "in", ids.slice(at, at + IDS_MAX))
          .where("teamId", equalsOrNull(teamId), teamId)
          // In one order, so that two who hold the same files do not wait for each other.
          .orderBy("id");
        for (const { id } of await (isSqlite(db) ? part : part.forKeyShare()).execute()) held.add(id);
      }
      return held;
    },
    async list(owner, cursor, purpose) {
      const ends = await requireEnds(cursor, "file", async (id) => (await store.find(owner, id))?.id ?? null);
      let query = db.selectFrom("files").selectAll().where("teamId", equalsOrNull(owner.teamId), owner.teamId);
      if (purpose !== undefined) query = query.where("purpose", "=", purpose);
      return cursorSlice(query, "id", { ...cursor, ...ends }, decode);
    },
    async removeExpired(nowMs) {
      const gone = await db.deleteFrom("files").where("expiresAt", "<=", nowMs).returning("id").execute();
      return gone.map(({ id }) => id);
    },
    async known(ids) {
      const rows = await db
        .selectFrom("files")
        .select("id")
        .where("id", "in", [...ids])
        .execute();
      return new Set(rows.map(({ id }) => id));
    },
  };
  return store;
}

const decode = (row: Selectable<Tables["files"]>): StoredFile => ({ ...row, sizeBytes: Number(row.sizeBytes) });
