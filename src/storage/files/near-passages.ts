import { type Kysely, sql } from "kysely";
import { DIMENSIONS_MAX, type VectorTable } from "../postgres/vector-table.ts";
import type { Tables } from "../tables.ts";
import { floatsOf } from "./vector-bytes.ts";

interface Placed {
  readonly id: number;
  readonly vector: Float32Array;
}

/** As the extension reads a vector. */
const literal = (vector: Float32Array): string => `[${vector.join(",")}]`;
const isComparable = ({ length }: Float32Array): boolean => length > 0 && length <= DIMENSIONS_MAX;
const FILL = 500;

export async function insertVectors(db: Kysely<Tables>, placed: readonly Placed[]): Promise<void> {
  const rows = placed.filter(({ vector }) => isComparable(vector));
  if (rows.length === 0) return;
  const values = rows.map(({ id, vector }) => sql`(${id}::integer, ${literal(vector)}::vector)`);
  await sql`insert into passage_vectors (passage_id, embedding) values ${sql.join(values)} on conflict do nothing`.execute(
    db,
  );
}

/** The nearest by the database's own reckoning, with the cosine; null where it has none. Every passage is compared. */
export async function nearPassages(
  db: Kysely<Tables>,
  table: VectorTable,
  vectorStoreId: string,
  query: Float32Array,
  limit: number,
): Promise<ReadonlyMap<number, number> | null> {
  if (!isComparable(query) || !(await table.isThere(db))) return null;
  await fill(db, vectorStoreId);
  const { rows } = await sql<{ id: number | bigint; score: number }>`
    select p.id, -(v.embedding <#> ${literal(query)}::vector) as score
    from passages p join passage_vectors v on v.passage_id = p.id
    where p.vector_store_id = ${vectorStoreId} and vector_dims(v.embedding) = ${query.length}
      and p.entry_id in (select id from vector_store_files where vector_store_id = ${vectorStoreId} and status = 'completed')
    order by score desc, p.id limit ${limit}`.execute(db);
  return new Map(rows.map(({ id, score }) => [Number(id), Number(score)]));
}

/** Passages from before the table, or of a process that did not know of it. */
async function fill(db: Kysely<Tables>, vectorStoreId: string): Promise<void> {
  for (let after = 0; ; ) {
    const { rows } = await sql<{ id: number | bigint; vector: Uint8Array }>`
      select p.id, p.vector from passages p
      where p.vector_store_id = ${vectorStoreId} and p.id > ${after}
        and not exists (select 1 from passage_vectors v where v.passage_id = p.id)
      order by p.id limit ${FILL}`.execute(db);
    if (rows.length === 0) return;
    await insertVectors(
      db,
      rows.map(({ id, vector }) => ({ id: Number(id), vector: floatsOf(vector) })),
    );
    after = Number(rows.at(-1)?.id);
  }
}
