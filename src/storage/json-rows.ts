import { type Kysely, SqliteAdapter } from "kysely";
import type { Tables } from "./tables.ts";

/** The types that both databases read from JSON alike. A `bigint` is a text there: a JSON number is no 64-bit integer. */
export type JsonColumns = Readonly<Record<string, "text" | "integer" | "bigint" | "boolean">>;

type Row = Readonly<Record<string, unknown>>;

export type DatabaseKind = "sqlite" | "postgres";

export const isSqlite = (db: Kysely<Tables>): boolean => db.getExecutor().adapter instanceof SqliteAdapter;

export const kindOf = (db: Kysely<Tables>): DatabaseKind => (isSqlite(db) ? "sqlite" : "postgres");

/** Rows for the `from` of a statement, named `r`. Column names are those of the database. */
export function jsonRows(columns: JsonColumns, rows: readonly Row[]): JsonRows {
  const names = Object.keys(columns);
  return new JsonRows(
    columns,
    rows.map((row) => names.map((name) => row[name])),
  );
}

/**
 * Rows out of one JSON parameter, of values in the order of the columns: thousands of bound values would be copied to another
 * thread, or the network, one by one.
 */
export class JsonRows {
  constructor(
    readonly columns: JsonColumns,
    private readonly lists: readonly (readonly unknown[])[],
  ) {}

  /** Where a statement takes them from. */
  source(kind: DatabaseKind, parameter: string): string {
    return kind === "sqlite"
      ? `(select ${sqliteColumns(this.columns)} from json_each(${parameter})) as r`
      : `jsonb_to_recordset(${parameter}::jsonb) as r(${postgresColumns(this.columns)})`;
  }

  /** The parameter: lists for SQLite, which finds values by their place, and objects for PostgreSQL. */
  json(kind: DatabaseKind): string {
    return kind === "sqlite" ? listsText(this.lists) : objectsText(Object.keys(this.columns), this.lists);
  }
}

/** Lists of values as JSON. */
function listsText(lists: readonly (readonly unknown[])[]): string {
  let text = "[";
  for (const list of lists) {
    text += text === "[" ? "[" : ",[";
    for (let index = 0; index < list.length; index++) text += (index === 0 ? "" : ",") + valueText(list[index]);
    text += "]";
  }
  return `${text}]`;
}

function objectsText(names: readonly string[], lists: readonly (readonly unknown[])[]): string {
  const objectText = (list: readonly unknown[]) =>
    `{${names.map((name, index) => `"${name}":${valueText(list[index])}`).join(",")}}`;
  return `[${lists.map(objectText).join(",")}]`;
}

/** JSON.stringify with a function for the bigints took four times as long. */
function valueText(value: unknown): string {
  if (typeof value === "number") return Number.isFinite(value) ? String(value) : "null";
  if (typeof value === "bigint") return `"${value}"`;
  return value === undefined ? "null" : JSON.stringify(value);
}

const sqliteColumns = (columns: JsonColumns): string =>
  Object.entries(columns)
    .map(([name, type], index) => {
      const value = `json_extract(value, '$[${index}]')`;
      // The cast is needed where a bigint came as text, and harmless elsewhere.
      return `${type === "bigint" ? `cast(${value} as integer)` : value} as ${name}`;
    })
    .join(", ");

const postgresColumns = (columns: JsonColumns): string =>
  Object.entries(columns)
    .map(([name, type]) => `${name} ${type}`)
    .join(", ");

/** `a, b, c` of the columns; `prefix` names the rows that they are of. */
export const columnList = (columns: JsonColumns, prefix = ""): string =>
  Object.keys(columns)
    .map((name) => prefix + name)
    .join(", ");
