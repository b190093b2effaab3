import { type Kysely, sql } from "kysely";
import type { Backend } from "../backend.ts";
import type { Tables } from "../tables.ts";

/** The longest vector that the extension's type takes. */
export const DIMENSIONS_MAX = 16_000;

/**
 * Makes a table for vectors that PostgreSQL compares by itself, where its extension `vector` is there or can be made by us.
 * No migration: what is there may change at any time, and nothing is lost without it, because `passages` has the vectors too.
 */
export async function makeVectorTable(backend: Backend): Promise<void> {
  if (backend.kind !== "postgres") return;
  await backend.withoutTimeLimit(async (db) => {
    try {
      const { rows } = await sql`select 1 from pg_available_extensions where name = 'vector'`.execute(db);
      if (rows.length === 0) return;
      await sql`create extension if not exists vector`.execute(db);
      await sql`create table if not exists passage_vectors (
        passage_id integer primary key references passages (id) on delete cascade, embedding vector not null)`.execute(
        db,
      );
    } catch {
      // Not allowed to, not in our path, or another process is at it just now: whether the table is there is looked up.
    }
  });
}

/** Whether the table is there; looked up once, when it is first asked. */
export class VectorTable {
  private known: Promise<boolean> | null = null;

  isThere(db: Kysely<Tables>): Promise<boolean> {
    this.known ??= this.look(db).catch((thrown) => {
      this.known = null;
      throw thrown;
    });
    return this.known;
  }

  private async look(db: Kysely<Tables>): Promise<boolean> {
    const { rows } = await sql`select 1 from pg_attribute
      where attrelid = to_regclass('passage_vectors') and attname = 'embedding' and not attisdropped`.execute(db);
    return rows.length > 0;
  }
}
