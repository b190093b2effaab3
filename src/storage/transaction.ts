import { type Kysely, sql } from "kysely";
import type { Tables } from "./tables.ts";

/** All or nothing, also inside a transaction: there it is a savepoint, so that an inner failure can be survived. */
export async function inTransaction<T>(db: Kysely<Tables>, work: (db: Kysely<Tables>) => Promise<T>): Promise<T> {
  if (!db.isTransaction) return db.transaction().execute(work);
  await sql`savepoint inner_work`.execute(db);
  try {
    const result = await work(db);
    await sql`release savepoint inner_work`.execute(db);
    return result;
  } catch (error) {
    await sql`rollback to savepoint inner_work`.execute(db);
    await sql`release savepoint inner_work`.execute(db);
    throw error;
  }
}
