import { type Kysely, sql } from "kysely";
import type { Backend } from "../../src/storage/backend.ts";

/** A schema as plain data, in words that mean the same in both databases: one line per fact. */
export type SchemaPicture = ReadonlySet<string>;

export function pictureOf(kind: Backend["kind"], db: Kysely<unknown>): Promise<SchemaPicture> {
  return kind === "sqlite" ? sqlitePicture(db) : postgresPicture(db);
}

/** The facts that only one side has; empty when the schemas agree. */
export function differencesBetween(sqlite: SchemaPicture, postgres: SchemaPicture): readonly string[] {
  const missingPostgres = [...sqlite.difference(postgres)].map((fact) => `only in SQLite: ${fact}`);
  const missingSqlite = [...postgres.difference(sqlite)].map((fact) => `only in PostgreSQL: ${fact}`);
  return [...missingPostgres, ...missingSqlite].sort();
}

interface Facts {
  readonly columns: readonly { table: string; name: string; type: string; nullable: boolean; default: string | null }[];
  readonly keys: readonly { table: string; what: "primary key" | "unique" | "index"; columns: string }[];
  readonly references: readonly { table: string; column: string; target: string; onDelete: string }[];
  readonly checks: readonly { table: string; values: string }[];
}

function draw({ columns, keys, references, checks }: Facts): SchemaPicture {
  return new Set([
    ...columns.map(
      (c) => `${c.table}.${c.name} is ${typeClass(c.type)}${c.nullable ? " or null" : ""}${defaultOf(c.default)}`,
    ),
    ...keys.map((k) => `${k.table} has ${k.what} (${k.columns})`),
    ...references.map((r) => `${r.table}.${r.column} references ${r.target} on delete ${r.onDelete.toLowerCase()}`),
    ...checks.map((c) => `${c.table} checks for ${c.values}`),
  ]);
}

const TYPE_CLASSES: Readonly<Record<string, string>> = {
  bigint: "bigint",
  blob: "bytes",
  boolean: "boolean",
  bytea: "bytes",
  "double precision": "double",
  integer: "integer",
  text: "text",
};

/** An unknown type stands for itself, so that two spellings of it show up as a difference. */
function typeClass(type: string): string {
  return TYPE_CLASSES[type.toLowerCase()] ?? type.toLowerCase();
}

/** The value alone: PostgreSQL writes its type behind it. */
const defaultOf = (text: string | null): string =>
  text === null ? "" : ` default ${text.replace(/::[\w ]+/g, "").replace(/[()']/g, "")}`;

/** The literals of a check say what it allows; the rest of its text is each database's own wording. */
function literalsOf(definition: string): string {
  return [...definition.matchAll(/'([^']*)'|\b(\d+)\b/g)]
    .map(([, text, number]) => text ?? number)
    .sort()
    .join(", ");
}

async function rowsOf<T>(db: Kysely<unknown>, query: ReturnType<typeof sql<T>>): Promise<T[]> {
  return (await query.execute(db)).rows;
}

/** Full text is each database's own; that both find the same is tested where it is searched. */
const FULL_TEXT = "passage_words%";

async function sqlitePicture(db: Kysely<unknown>): Promise<SchemaPicture> {
  const tables = sql`(select name, sql from sqlite_master
    where type = 'table' and name not like 'sqlite_%' and name not like 'kysely_%' and name not like ${FULL_TEXT})`;
  const columns = await rowsOf(
    db,
    sql<{ table: string; name: string; type: string; notnull: bigint; default: string | null }>`
      select t.name as "table", c.name, c.type, c."notnull", c.dflt_value as "default" from ${tables} t, pragma_table_info(t.name) c`,
  );
  const keys = await rowsOf(
    db,
    sql<Facts["keys"][number]>`
      select t.name as "table",
        case i.origin when 'pk' then 'primary key' when 'u' then 'unique' else
          case i."unique" when 1 then 'unique' else 'index' end end as what,
        (select group_concat(c.name, ', ') from pragma_index_info(i.name) c) as columns
      from ${tables} t, pragma_index_list(t.name) i
      union
      -- An integer key is the row number itself and has no index of its own.
      select t.name, 'primary key', group_concat(c.name, ', ') from ${tables} t, pragma_table_info(t.name) c
      where c.pk > 0 group by t.name`,
  );
  const references = await rowsOf(
    db,
    sql<Facts["references"][number]>`
      select t.name as "table", f."from" as "column", f."table" || '.' || f."to" as target, f.on_delete as "onDelete"
      from ${tables} t, pragma_foreign_key_list(t.name) f`,
  );
  const definitions = await rowsOf(db, sql<{ name: string; sql: string }>`select name, sql from ${tables}`);
  const checks = definitions.flatMap((table) =>
    [...table.sql.matchAll(/check \((.*?\))\)/g)].map(([, definition = ""]) => ({
      table: table.name,
      values: literalsOf(definition),
    })),
  );
  return draw({
    columns: columns.map((column) => ({ ...column, nullable: Number(column.notnull) === 0 })),
    keys,
    references,
    checks,
  });
}

async function postgresPicture(db: Kysely<unknown>): Promise<SchemaPicture> {
  const columns = await rowsOf(
    db,
    sql<Facts["columns"][number]>`
      select table_name as "table", column_name as name, data_type as type, is_nullable = 'YES' as nullable,
        column_default as "default"
      from information_schema.columns where table_schema = current_schema() and table_name not like 'kysely%'`,
  );
  const keys = await rowsOf(
    db,
    sql<Facts["keys"][number]>`
      select t.relname as "table",
        case when i.indisprimary then 'primary key' when i.indisunique then 'unique' else 'index' end as what,
        (select string_agg(a.attname, ', ' order by k.position)
          from unnest(i.indkey) with ordinality k(number, position)
          join pg_attribute a on a.attrelid = t.oid and a.attnum = k.number) as columns
      from pg_index i join pg_class t on t.oid = i.indrelid
      where t.relnamespace = current_schema()::regnamespace and t.relname not like 'kysely%'
        and i.indexrelid::regclass::text not like ${FULL_TEXT}`,
  );
  const references = await rowsOf(
    db,
    sql<Facts["references"][number]>`
      select c.conrelid::regclass::text as "table", a.attname as "column",
        c.confrelid::regclass::text || '.' || b.attname as target,
        case c.confdeltype when 'c' then 'cascade' when 'n' then 'set null' when 'r' then 'restrict'
          when 'd' then 'set default' else 'no action' end as "onDelete"
      from pg_constraint c, unnest(c.conkey, c.confkey) k(own, other)
        join pg_attribute a on a.attnum = k.own join pg_attribute b on b.attnum = k.other
      where c.contype = 'f' and a.attrelid = c.conrelid and b.attrelid = c.confrelid`,
  );
  const checks = await rowsOf(
    db,
    sql<{ table: string; definition: string }>`
      select conrelid::regclass::text as "table", pg_get_constraintdef(oid) as definition
      from pg_constraint where contype = 'c' and connamespace = current_schema()::regnamespace`,
  );
  return draw({
    columns,
    keys,
    references,
    checks: checks.map(({ table, definition }) => ({ table, values: literalsOf(definition) })),
  });
}
