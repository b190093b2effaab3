import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type Kysely, sql } from "kysely";
import { Pool } from "pg";
import type { StoreEntry } from "../../src/files/records.ts";
import { VectorCache } from "../../src/files/search/vector-cache.ts";
import { openBackend, openStorage, type Storage } from "../../src/storage/open.ts";
import { sharedPostgres } from "../services/postgres.ts";
import { DATABASES, type FreshDatabase, migratedDatabase } from "../storage/databases.ts";
import { newEntry, newStore } from "./new-entries.ts";

const DIMENSIONS = 48;
const PASSAGES = 2_300;

/** Numbers that look like chance and are the same each time. */
function vectorOf(seed: number, length = DIMENSIONS): Float32Array {
  const numbers = Float32Array.from({ length }, (_, at) => Math.sin((seed + 1) * 12.9898 + at * 78.233));
  const size = Math.hypot(...numbers);
  return numbers.map((number) => number / size);
}

const near = (found: ReadonlyMap<number, number>) => [...found].map(([id, score]) => [id, score.toFixed(4)]);
/** Compared here, whatever the database can. */
const ownReckoning = ({ files }: Storage, storeBytesMax?: number) =>
  new VectorCache({ ...files.passages, nearest: async () => null }, storeBytesMax);

const server = await sharedPostgres();
const hasExtension = await (async () => {
  if (!server) return false;
  const pool = new Pool({ connectionString: server.url });
  const { rows } = await pool.query("select 1 from pg_available_extensions where name = 'vector'");
  await pool.end();
  return rows.length > 0;
})();
if (!hasExtension) {
  console.warn(
    "pgvector tests skipped: the PostgreSQL server has no extension `vector` (package postgresql-*-pgvector)",
  );
}

for (const { kind, missing } of DATABASES) {
  describe.skipIf(missing)(`vectors on ${kind}`, () => {
    let database: FreshDatabase;
    let storage: Storage;
    let vectorStoreId: string;
    let entry: StoreEntry;
    beforeAll(async () => {
      database = await migratedDatabase(kind);
      storage = openStorage(database.settings);
      vectorStoreId = await newStore(storage);
      entry = await newEntry(storage, vectorStoreId);
      for (let at = 0; at < PASSAGES; at += 500) {
        const positions = Array.from({ length: Math.min(500, PASSAGES - at) }, (_, index) => at + index);
        const passages = positions.map((position) => ({ position, text: `t${position}`, vector: vectorOf(position) }));
        await storage.files.passages.insert(entry, passages);
      }
    }, 60_000);
    afterAll(async () => {
      await storage?.close();
      database?.[Symbol.dispose]();
    });
    const nearest = (cache = new VectorCache(storage.files.passages)) =>
      cache.nearest(vectorStoreId, vectorOf(7), 20).then(near);

    test("of a file that is still being read are not found, nor its words", async () => {
      const { passages } = storage.files;
      expect(await nearest()).toEqual([]);
      expect(await passages.withWords(vectorStoreId, ["t7"], 5)).toEqual([]);
      expect(await passages.count(vectorStoreId)).toBe(0);
      await storage.files.entries.change(entry.id, (found) => ({ ...found, status: "completed" }));
      expect(await passages.withWords(vectorStoreId, ["t7"], 5)).toHaveLength(1);
      expect(await passages.count(vectorStoreId)).toBe(PASSAGES);
    });

    test("are found alike from memory, page by page, and by the database where it can", async () => {
      const found = await nearest();
      expect(found).toHaveLength(20);
      expect(found[0]?.[1]).toBe("1.0000");
      const cache = ownReckoning(storage);
      expect(await nearest(cache)).toEqual(found);
      expect(await nearest(cache)).toEqual(found);
      expect(await nearest(ownReckoning(storage, 1_000))).toEqual(found);
      expect(await new VectorCache(storage.files.passages).nearest(vectorStoreId, vectorOf(7, 12), 5)).toEqual(
        new Map(),
      );
    });

    if (kind === "postgres")
      test.skipIf(!hasExtension)("are compared by PostgreSQL, also those from before", async () => {
        const { passages } = storage.files;
        const before = await nearest(ownReckoning(storage));
        const bare = openBackend(database.settings).db as unknown as Kysely<{ passageVectors: object }>;
        await sql`delete from passage_vectors where passage_id % 2 = 0`.execute(bare);
        expect(near((await passages.nearest(vectorStoreId, vectorOf(7), 20)) ?? new Map())).toEqual(before);
        const counted = await sql<{ count: bigint }>`select count(*) from passage_vectors`.execute(bare);
        expect(Number(counted.rows[0]?.count)).toBe(PASSAGES);
        // Not as long as what the type of the extension takes: compared here.
        expect(await passages.nearest(vectorStoreId, new Float32Array(16_001), 5)).toBeNull();
        await passages.removeOf(entry.id);
        expect(await sql`select 1 from passage_vectors`.execute(bare)).toMatchObject({ rows: [] });
        await bare.destroy();
      });

    test.skipIf(kind === "postgres" && hasExtension)("are compared here where the database does not", async () => {
      expect(await storage.files.passages.nearest(vectorStoreId, vectorOf(7), 5)).toBeNull();
    });
  });
}
