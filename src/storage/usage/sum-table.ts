import { CompiledQuery } from "kysely";
import { columnList, type DatabaseKind, type JsonColumns, JsonRows } from "../json-rows.ts";
import { EachRow } from "../sqlite/protocol.ts";
import type { Question } from "../statement-batch.ts";

/** From so many rows on SQLite takes them one by one: a message of its own to its thread pays only then. */
const EACH_MIN = 8;

/** A table of sums: what is added to it is added to the row of the same keys, where there is one. */
export class SumTable {
  private readonly columns: JsonColumns;
  private readonly texts: Readonly<Record<DatabaseKind | "each", string>>;

  constructor(name: string, keys: JsonColumns, sums: JsonColumns) {
    this.columns = { ...keys, ...sums, last_at: "bigint" };
    const added = Object.keys(sums).map((sum) => `${sum} = ${name}.${sum} + excluded.${sum}`);
    const last = `last_at = case when excluded.last_at > ${name}.last_at then excluded.last_at else ${name}.last_at end`;
    const into = `insert into ${name} (${columnList(this.columns)})`;
    const onto = `on conflict (${columnList(keys)}) do update set ${[...added, last].join(", ")}`;
    const from = (kind: DatabaseKind, parameter: string): string =>
      `select ${columnList(this.columns, "r.")} from ${new JsonRows(this.columns, []).source(kind, parameter)} where true`;
    const values = Object.values(this.columns).map((type) => (type === "bigint" ? "cast(? as integer)" : "?"));
    this.texts = {
      sqlite: `${into} ${from("sqlite", "?")} ${onto}`,
      postgres: `${into} ${from("postgres", "$1")} ${onto}`,
      // Taken out of one JSON text by `json_each`, a row of 28 columns took SQLite 26 µs; so it takes 8.
      each: `${into} values (${values.join(", ")}) ${onto}`,
    };
  }

  /** The values of each row in the order of the columns: keys, sums, and when it was last added to. */
  adding(lists: readonly (readonly unknown[])[]): Question<never> {
    const rows = new JsonRows(this.columns, lists);
    return {
      compiled: (kind) => {
        const isEach = kind === "sqlite" && lists.length >= EACH_MIN;
        const parameter = isEach ? new EachRow(rows.json(kind)) : rows.json(kind);
        return CompiledQuery.raw(this.texts[isEach ? "each" : kind], [parameter]) as CompiledQuery<never>;
      },
    };
  }
}
