import { type Kysely, sql } from "kysely";
import type { Passage } from "../../files/records.ts";
import type { PassageStore } from "../../files/store.ts";
import { isSqlite } from "../json-rows.ts";
import type { Tables } from "../tables.ts";

const COLUMNS = ["id", "fileId", "position", "text"] as const;

export function passageStore(db: Kysely<Tables>): PassageStore {
  return {
    async insert({ id: entryId, vectorStoreId, fileId }, passages) {
      for (const { position, text, vector } of passages) {
        await db
          .insertInto("passages")
          .values({ vectorStoreId, entryId, fileId, position, text, vector: bytesOf(vector) })
          .execute();
      }
    },
    async removeOf(entryId) {
      await db.deleteFrom("passages").where("entryId", "=", entryId).execute();
    },
    async listOf(entryId) {
      const rows = await db
        .selectFrom("passages")
        .select(COLUMNS)
        .where("entryId", "=", entryId)
        .orderBy("position")
        .execute();
      return rows.map(decode);
    },
    async stamp(vectorStoreId) {
      const row = await db
        .selectFrom("passages")
        .select([sql<bigint>`count(*)`.as("passages"), sql<number>`coalesce(max(id), 0)`.as("last")])
        .where("vectorStoreId", "=", vectorStoreId)
        .executeTakeFirstOrThrow();
      return `${row.passages}:${row.last}`;
    },
    async vectors(vectorStoreId) {
      const rows = await db
        .selectFrom("passages")
        .select(["id", "vector"])
        .where("vectorStoreId", "=", vectorStoreId)
        .orderBy("id")
        .execute();
      return rows.map(({ id, vector }) => ({ id: Number(id), vector: floatsOf(vector) }));
    },
    async withWords(vectorStoreId, words, limit) {
      if (words.length === 0) return [];
      const rows = await (isSqlite(db) ? sqliteWords : postgresWords)(db, vectorStoreId, words, limit);
      return rows.map(decode);
    },
    async get(vectorStoreId, ids) {
      if (ids.length === 0) return [];
      const rows = await db
        .selectFrom("passages")
        .select(COLUMNS)
        .where("vectorStoreId", "=", vectorStoreId)
        .where("id", "in", [...ids])
        .execute();
      return rows.map(decode);
    },
    async count(vectorStoreId) {
      const row = await db
        .selectFrom("passages")
        .select(sql<bigint>`count(*)`.as("passages"))
        .where("vectorStoreId", "=", vectorStoreId)
        .executeTakeFirstOrThrow();
      return Number(row.passages);
    },
  };
}

/** Words hold letters and digits alone, so that none is taken for a sign of the query's own. */
async function sqliteWords(db: Kysely<Tables>, vectorStoreId: string, words: readonly string[], limit: number) {
  const match = words.map((word) => `"${word}"`).join(" OR ");
  const { rows } = await sql<RawPassage>`
    select p.id, p.file_id as "fileId", p.position, p.text from passage_words w join passages p on p.id = w.rowid
    where w.passage_words match ${match} and p.vector_store_id = ${vectorStoreId} order by w.rank limit ${limit}`.execute(
    db,
  );
  return rows;
}

async function postgresWords(db: Kysely<Tables>, vectorStoreId: string, words: readonly string[], limit: number) {
  const query = words.join(" | ");
  const { rows } = await sql<RawPassage>`
    select p.id, p.file_id as "fileId", p.position, p.text from passages p, to_tsquery('english', ${query}) q
    where to_tsvector('english', p.text) @@ q and p.vector_store_id = ${vectorStoreId}
    order by ts_rank_cd(to_tsvector('english', p.text), q, 2) desc, p.id limit ${limit}`.execute(db);
  return rows;
}

interface RawPassage {
  readonly id: number | bigint;
  readonly fileId: string;
  readonly position: number | bigint;
  readonly text: string;
}

const decode = ({ id, fileId, position, text }: RawPassage): Passage => ({
  id: Number(id),
  fileId,
  position: Number(position),
  text,
});

const bytesOf = ({ buffer, byteOffset, byteLength }: Float32Array): Uint8Array =>
  new Uint8Array(buffer as ArrayBuffer, byteOffset, byteLength);

/** Copied, because a driver hands out bytes that do not begin where four of them make a number. */
const floatsOf = (bytes: Uint8Array): Float32Array => new Float32Array(new Uint8Array(bytes).buffer);
