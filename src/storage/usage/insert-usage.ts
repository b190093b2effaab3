import { CompiledQuery, type Kysely } from "kysely";
import type { CountedCall } from "../../contract/usage.ts";
import { columnList, type DatabaseKind, JsonRows, kindOf } from "../json-rows.ts";
import { EachRow } from "../sqlite/protocol.ts";
import { SqlText, statement } from "../statement.ts";
import type { Question } from "../statement-batch.ts";
import type { Tables } from "../tables.ts";
import { LOG_COLUMNS } from "./log-columns.ts";

/** A call for the log. */
export interface LoggedRow {
  readonly record: CountedCall;
  readonly row: string;
}

type EntryOf = (record: CountedCall) => string | null;

/**
 * Writes calls into the log, each with the entry that will charge it, and gives those that were not there yet: only they
 * count. An id may be twice in a batch after a crash: the first one counts. The team's name is kept as it is now, since the
 * log outlives the team.
 */
export async function insertUsage<Call extends LoggedRow>(
  db: Kysely<Tables>,
  calls: readonly Call[],
  entryOf: EntryOf = () => null,
): Promise<readonly Call[]> {
  if (calls.length === 0) return calls;
  const insert = new UsageInsert(calls, entryOf);
  const { rows } = await db.executeQuery<InsertedRow>(insert.compiled(kindOf(db)));
  return insert.added(kindOf(db), rows);
}

/** What SQLite says of the rows that were there, and PostgreSQL of those that were not. */
type InsertedRow = { readonly unchanged: number } | { readonly id: string };

/** The same as something to ask together with others; of one call at least. */
export class UsageInsert<Call extends LoggedRow> implements Question<InsertedRow> {
  constructor(
    private readonly calls: readonly Call[],
    private readonly entryOf: EntryOf,
  ) {}

  compiled(kind: DatabaseKind): CompiledQuery<InsertedRow> {
    return kind === "sqlite" ? this.each() : this.all().compiled(kind);
  }

  added(kind: DatabaseKind, rows: readonly InsertedRow[]): readonly Call[] {
    const { calls } = this;
    if (kind === "sqlite") {
      if (rows.length === 0) return calls;
      const known = new Set(rows.map((row) => "unchanged" in row && row.unchanged));
      return calls.filter((_call, index) => !known.has(index));
    }
    const fresh = new Set(rows.map((row) => "id" in row && row.id));
    return calls.filter(({ record }) => fresh.delete(record.id));
  }

  /** The rows' own texts go to the other thread, each with its entry as one more value. */
  private each(): CompiledQuery<InsertedRow> {
    const rows = this.calls.map(({ record, row }) => {
      const entry = this.entryOf(record);
      // An id of ours needs no quoting.
      return `${row.slice(0, -1)},${entry === null ? "null" : `"${entry}"`}]`;
    });
    const lists = new EachRow(`[${rows.join(",")}]`);
    return CompiledQuery.raw(INSERT_EACH, [lists]) as CompiledQuery<InsertedRow>;
  }

  private all(): Question<InsertedRow> {
    const lists = this.calls.map(({ record, row }) => [...(JSON.parse(row) as unknown[]), this.entryOf(record)]);
    return statement<{ id: string }>`
      insert into usage_log (${NAMES}, team_name)
      select ${VALUES}, t.name from ${new JsonRows(LOG_COLUMNS, lists)}
      left join teams t on t.id = r.team_id where true
      on conflict (id) do nothing returning id`;
  }
}

const NAMES = new SqlText(columnList(LOG_COLUMNS));
const VALUES = new SqlText(columnList(LOG_COLUMNS, "r."));

/** Row by row: taken out of one JSON text by `json_each`, the 45 columns took SQLite five times as long. */
const INSERT_EACH = (() => {
  const columns = Object.entries(LOG_COLUMNS);
  const values = columns.map(([, type], index) =>
    type === "bigint" ? `cast(?${index + 1} as integer)` : `?${index + 1}`,
  );
  const team = columns.findIndex(([name]) => name === "team_id") + 1;
  return `insert into usage_log (${columns.map(([name]) => name).join(", ")}, team_name)
    values (${values.join(", ")}, (select name from teams where id = ?${team})) on conflict (id) do nothing`;
})();
