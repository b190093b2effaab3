import { type Kysely, sql } from "kysely";
import { DEFAULT_MIGRATION_LOCK_TABLE, DEFAULT_MIGRATION_TABLE } from "kysely/migration";

/** A table, with its columns as they are declared. */
export interface CopiedTable {
  readonly name: string;
  readonly columns: readonly CopiedColumn[];
}

export interface CopiedColumn {
  readonly name: string;
  readonly type: string;
  /** PostgreSQL gives its values out. */
  readonly isIdentity: boolean;
}

type Row = { readonly table: string } & CopiedColumn;

/** The migrations keep their own record. */
const RECORDS: ReadonlySet<string> = new Set([DEFAULT_MIGRATION_TABLE, DEFAULT_MIGRATION_LOCK_TABLE]);

/** As SQLite has them, without those of its own and of its full text. */
export async function sqliteTables(db: Kysely<unknown>): Promise<readonly CopiedTable[]> {
  const { rows } = await sql<Row>`
    select t.name as "table", c.name, lower(c.type) as type, false as "isIdentity"
    from pragma_table_list t, pragma_table_info(t.name) c
    where t.schema = 'main' and t.type = 'table' and t.name not like 'sqlite\\_%' escape '\\' order by t.name, c.cid`.execute(
    db,
  );
  return grouped(rows);
}

export async function postgresTables(db: Kysely<unknown>): Promise<readonly CopiedTable[]> {
  const { rows } = await sql<Row>`
    select c.relname as "table", a.attname as name, format_type(a.atttypid, a.atttypmod) as type,
      a.attidentity <> '' as "isIdentity"
    from pg_class c join pg_attribute a on a.attrelid = c.oid
    where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p')
      and a.attnum > 0 and not a.attisdropped order by c.relname, a.attnum`.execute(db);
  return grouped(rows);
}

function grouped(rows: readonly Row[]): readonly CopiedTable[] {
  const ofTables = Map.groupBy(rows, ({ table }) => table);
  return [...ofTables].filter(([name]) => !RECORDS.has(name)).map(([name, columns]) => ({ name, columns }));
}

/** The tables of the source as the target has them: the same migrations have made both. */
export function matched(source: readonly CopiedTable[], target: readonly CopiedTable[]): readonly CopiedTable[] {
  const byName = new Map(target.map((table) => [table.name, table]));
  return source.map((table) => {
    const found = byName.get(table.name);
    if (found === undefined || namesOf(found) !== namesOf(table))
      throw new Error(`the table ${table.name} is not the same in both databases`);
    return found;
  });
}

const namesOf = ({ columns }: CopiedTable): string =>
  columns
    .map(({ name }) => name)
    .sort()
    .join();
