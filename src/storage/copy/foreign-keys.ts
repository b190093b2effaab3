import { type Kysely, sql } from "kysely";

interface ForeignKey {
  readonly table: string;
  readonly name: string;
  readonly definition: string;
}

/**
 * Tables refer to each other in circles, so no order of them would do. Foreign keys are taken away for the work and made again
 * after it, which looks at all rows at once. All of it in the transaction of the caller.
 */
export async function withoutForeignKeys(tx: Kysely<unknown>, work: () => Promise<void>): Promise<void> {
  const { rows } = await sql<ForeignKey>`
    select conrelid::regclass::text as "table", quote_ident(conname) as name, pg_get_constraintdef(oid) as definition
    from pg_constraint where contype = 'f' and connamespace = current_schema()::regnamespace`.execute(tx);
  for (const { table, name } of rows) await sql.raw(`alter table ${table} drop constraint ${name}`).execute(tx);
  await work();
  for (const { table, name, definition } of rows)
    await sql.raw(`alter table ${table} add constraint ${name} ${definition}`).execute(tx);
}
