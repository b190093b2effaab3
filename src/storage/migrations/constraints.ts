import { type Expression, type Kysely, sql } from "kysely";

/** Neither database makes an index for a foreign key by itself. */
export async function index(db: Kysely<unknown>, table: string, ...columns: string[]): Promise<void> {
  await db.schema
    .createIndex([table, ...columns].join("_"))
    .on(table)
    .columns(columns)
    .execute();
}

export function oneOf(column: string, values: readonly string[]): Expression<boolean> {
  return sql<boolean>`${sql.ref(column)} in (${sql.join(values.map((value) => sql.lit(value)))})`;
}
