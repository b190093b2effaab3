import { type Kysely, sql } from "kysely";
import type { Passage } from "../../files/records.ts";
import type { PassageStore } from "../../files/store.ts";
import { isSqlite } from "../json-rows.ts";
import type { VectorTable } from "../postgres/vector-table.ts";
import type { Tables } from "../tables.ts";
import { insertVectors, nearPassages } from "./near-passages.ts";
import { bytesOf, floatsOf } from "./vector-bytes.ts";

const COLUMNS = ["id", "fileId", "position", "text"] as const;

export function passageStore(db: Kysely<Tables>, table: VectorTable): PassageStore {
  const hasTable = async (): Promise<boolean> => !isSqlite(db) && (await table.isThere(db));
  /** Of files that were read to their end; nobody finds half a file. */
  const ofStore = (vectorStoreId: string) =>
    db
      .selectFrom("passages")
      .where("vectorStoreId", "=", vectorStoreId)
      .where("entryId", "in", (eb) =>
        eb
          .selectFrom("vectorStoreFiles")
          .select("vectorStoreFiles.id")
          .where("vectorStoreFiles.vectorStoreId", "=", vectorStoreId)
          .where("status", "=", "completed"),
      );
  return {
    async insert({ id: entryId, vectorStoreId, fileId }, passages) {
      if (passages.length === 0) return;
      const placed = await db
        .insertInto("passages")
        .values(
          passages.map(({ position, text, vector }) => ({
            vectorStoreId,
            entryId,
            fileId,
            position,
            text,
            vector: bytesOf(vector),
          })),
        )
        .returning(["id", "position"])
        .execute();
      if (!(await hasTable())) return;
      const ids = new Map(placed.map(({ id, position }) => [Number(position), Number(id)]));
      await insertVectors(
        db,
        passages.map(({ position, vector }) => ({ id: ids.get(position) ?? 0, vector })),
      );
    },
    async removeOf(entryId, fromPosition = 0) {
      await db.deleteFrom("passages").where("entryId", "=", entryId).where("position", ">=", fromPosition).execute();
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
      const row = await ofStore(vectorStoreId)
        .select([sql<bigint>`count(*)`.as("passages"), sql<bigint>`cast(coalesce(sum(id), 0) as bigint)`.as("sum")])
        .executeTakeFirstOrThrow();
      return `${row.passages}:${row.sum}`;
    },
    async vectors(vectorStoreId, after, limit) {
      const rows = await ofStore(vectorStoreId)
        .select(["id", "vector"])
        .where("id", ">", after)
        .orderBy("id")
        .limit(limit)
        .execute();
      return rows.map(({ id, vector }) => ({ id: Number(id), vector: floatsOf(vector) }));
    },
    nearest: async (vectorStoreId, vector, limit) =>
      isSqlite(db) ? null : nearPassages(db, table, vectorStoreId, vector, limit),
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
      const row = await ofStore(vectorStoreId).select(sql<bigint>`count(*)`.as("passages")).executeTakeFirstOrThrow();
      return Number(row.passages);
    },
  };
}

const isRead = (vectorStoreId: string) =>
  sql`p.entry_id in (select id from vector_store_files where vector_store_id = ${vectorStoreId} and status = 'completed')`;

/** Words hold letters and digits alone, so that none is taken for a sign of the query's own. */
async function sqliteWords(db: Kysely<Tables>, vectorStoreId: string, words: readonly string[], limit: number) {
  const match = words.map((word) => `"${word}"`).join(" OR ");
  const { rows } = await sql<RawPassage>`
    select p.id, p.file_id as "fileId", p.position, p.text from passage_words w join passages p on p.id = w.rowid
    where w.passage_words match ${match} and p.vector_store_id = ${vectorStoreId} and ${isRead(vectorStoreId)} order by w.rank limit ${limit}`.execute(
    db,
  );
  return rows;
}

async function postgresWords(db: Kysely<Tables>, vectorStoreId: string, words: readonly string[], limit: number) {
  const query = words.join(" | ");
  const { rows } = await sql<RawPassage>`
    select p.id, p.file_id as "fileId", p.position, p.text from passages p, to_tsquery('english', ${query}) q
    where to_tsvector('english', p.text) @@ q and p.vector_store_id = ${vectorStoreId} and ${isRead(vectorStoreId)}
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
