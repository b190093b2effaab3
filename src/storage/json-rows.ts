import { type Kysely, type RawBuilder, SqliteAdapter, sql } from "kysely";
import type { Tables } from "./tables.ts";

/** The types that both databases read from JSON alike. A `bigint` is a text there: a JSON number is no 64-bit integer. */
export type JsonColumns = Readonly<Record<string, "text" | "integer" | "bigint" | "boolean">>;

export const isSqlite = (db: Kysely<Tables>): boolean => db.getExecutor().adapter instanceof SqliteAdapter;

/**
 * Rows for the `from` of a statement, named `r`, out of one JSON parameter: thousands of bound values would be copied to
 * another thread, or the network, one by one. Column names are those of the database.
 */
export function jsonRows(
  db: Kysely<Tables>,
  columns: JsonColumns,
  rows: readonly Readonly<Record<string, unknown>>[],
): RawBuilder<unknown> {
  const text = JSON.stringify(rows, (_name, value) => (typeof value === "bigint" ? value.toString() : value));
  const names = Object.keys(columns);
  if (isSqlite(db)) {
    // The cast is needed where a bigint came as text, and harmless elsewhere.
    const picked = names.map((name) => {
      const value = sql`json_extract(value, ${sql.lit(`$.${name}`)})`;
      return sql`${columns[name] === "bigint" ? sql`cast(${value} as integer)` : value} as ${sql.raw(name)}`;
    });
    return sql`(select ${sql.join(picked)} from json_each(${text})) as r`;
  }
  const typed = names.map((name) => sql.raw(`${name} ${columns[name]}`));
  return sql`jsonb_to_recordset(${text}::jsonb) as r(${sql.join(typed)})`;
}

/** `a, b, c` of the columns; `prefix` names the rows that they are of. */
export const columnList = (columns: JsonColumns, prefix = ""): RawBuilder<unknown> =>
  sql.raw(
    Object.keys(columns)
      .map((name) => prefix + name)
      .join(", "),
  );
