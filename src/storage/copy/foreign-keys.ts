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
  const triggers = await countingTriggers(tx);
  for (const { table, name } of triggers) await sql.raw(`alter table ${table} disable trigger ${name}`).execute(tx);
  await work();
  for (const { table, name } of triggers) await sql.raw(`alter table ${table} enable trigger ${name}`).execute(tx);
  for (const { table, name, definition } of rows)
    await sql.raw(`alter table ${table} add constraint ${name} ${definition}`).execute(tx);
}

/** The triggers that count what is stored: their counts are copied as rows. */
async function countingTriggers(tx: Kysely<unknown>) {
  const { rows } = await sql<{ table: string; name: string }>`
    select t.tgrelid::regclass::text as "table", t.tgname as name
    from pg_trigger t join pg_class c on c.oid = t.tgrelid
    where t.tgname like '%\\_counted\\_%' and c.relnamespace = current_schema()::regnamespace`.execute(tx);
  return rows;
}
