import { type Kysely, type RawBuilder, SqliteAdapter, sql } from "kysely";
import type { Tables } from "./tables.ts";

/** The types that both databases read from JSON alike. A `bigint` is a text there: a JSON number is no 64-bit integer. */
export type JsonColumns = Readonly<Record<string, "text" | "integer" | "bigint" | "boolean">>;

type Row = Readonly<Record<string, unknown>>;

export const isSqlite = (db: Kysely<Tables>): boolean => db.getExecutor().adapter instanceof SqliteAdapter;

/**
 * Rows for the `from` of a statement, named `r`, out of one JSON parameter: thousands of bound values would be copied to
 * another thread, or the network, one by one. Column names are those of the database.
 */
export function jsonRows(db: Kysely<Tables>, columns: JsonColumns, rows: readonly Row[]): RawBuilder<unknown> {
  const names = Object.keys(columns);
  return listRows(
    db,
    columns,
    rows.map((row) => names.map((name) => row[name])),
  );
}

/** The same of values in the order of the columns. */
export function listRows(
  db: Kysely<Tables>,
  columns: JsonColumns,
  lists: readonly (readonly unknown[])[],
): RawBuilder<unknown> {
  if (isSqlite(db)) return sql`(select ${sqliteColumns(columns)} from json_each(${listsText(lists)})) as r`;
  return postgresRows(columns, lists);
}

/** The same for PostgreSQL alone, of values in the order of the columns. */
export function postgresRows(columns: JsonColumns, lists: readonly (readonly unknown[])[]): RawBuilder<unknown> {
  const names = Object.keys(columns);
  const objectText = (list: readonly unknown[]) =>
    `{${names.map((name, index) => `"${name}":${valueText(list[index])}`).join(",")}}`;
  const text = `[${lists.map(objectText).join(",")}]`;
  return sql`jsonb_to_recordset(${text}::jsonb) as r(${postgresColumns(columns)})`;
}

/** Lists of values as JSON. */
export function listsText(lists: readonly (readonly unknown[])[]): string {
  let text = "[";
  for (const list of lists) {
    text += text === "[" ? "[" : ",[";
    for (let index = 0; index < list.length; index++) text += (index === 0 ? "" : ",") + valueText(list[index]);
    text += "]";
  }
  return `${text}]`;
}

/** JSON.stringify with a function for the bigints took four times as long. */
function valueText(value: unknown): string {
  if (typeof value === "number") return Number.isFinite(value) ? String(value) : "null";
  if (typeof value === "bigint") return `"${value}"`;
  return value === undefined ? "null" : JSON.stringify(value);
}

/**
 * One piece of text for each list of columns: the query builder freezes every part of a statement, and as parts of their own
 * the columns of one batch took 11 ms of the main thread.
 */
const sqliteColumns = remembered((columns) =>
  Object.entries(columns)
    .map(([name, type], index) => {
      const value = `json_extract(value, '$[${index}]')`;
      // The cast is needed where a bigint came as text, and harmless elsewhere.
      return `${type === "bigint" ? `cast(${value} as integer)` : value} as ${name}`;
    })
    .join(", "),
);

const postgresColumns = remembered((columns) =>
  Object.entries(columns)
    .map(([name, type]) => `${name} ${type}`)
    .join(", "),
);

function remembered(textOf: (columns: JsonColumns) => string): (columns: JsonColumns) => RawBuilder<unknown> {
  const made = new WeakMap<JsonColumns, RawBuilder<unknown>>();
  return (columns) => {
    const known = made.get(columns) ?? sql.raw(textOf(columns));
    made.set(columns, known);
    return known;
  };
}

/** `a, b, c` of the columns; `prefix` names the rows that they are of. */
export const columnList = (columns: JsonColumns, prefix = ""): RawBuilder<unknown> =>
  sql.raw(
    Object.keys(columns)
      .map((name) => prefix + name)
      .join(", "),
  );
