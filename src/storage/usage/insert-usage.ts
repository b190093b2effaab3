import { CompiledQuery, type Kysely } from "kysely";
import type { UsageRecord } from "../../contract/usage.ts";
import { keptValues, usageRow } from "../../contract/usage-row.ts";
import { columnList, isSqlite, JsonRows } from "../json-rows.ts";
import { EachRow } from "../sqlite/protocol.ts";
import { SqlText, statement } from "../statement.ts";
import type { Tables } from "../tables.ts";
import { LOG_COLUMNS } from "./log-columns.ts";

/** A call for the log; `row` is its text where that was made already. */
export interface LoggedRow {
  readonly record: UsageRecord;
  readonly row?: string | undefined;
}

/**
 * Writes calls into the log, each with the entry that will charge it, and gives those that were not there yet: only they
 * count. An id may be twice in a batch after a crash: the first one counts. The team's name is kept as it is now, since the
 * log outlives the team.
 */
export async function insertUsage<Call extends LoggedRow>(
  db: Kysely<Tables>,
  calls: readonly Call[],
  entryOf: (record: UsageRecord) => string | null = () => null,
): Promise<readonly Call[]> {
  if (calls.length === 0) return calls;
  return isSqlite(db) ? insertEach(db, calls, entryOf) : insertAll(db, calls, entryOf);
}

/** The rows' own texts go to the other thread, each with its entry as one more value. */
async function insertEach<Call extends LoggedRow>(
  db: Kysely<Tables>,
  calls: readonly Call[],
  entryOf: (record: UsageRecord) => string | null,
): Promise<readonly Call[]> {
  const rows = calls.map(({ record, row = usageRow(record) }) => {
    const entry = entryOf(record);
    // An id of ours needs no quoting.
    return `${row.slice(0, -1)},${entry === null ? "null" : `"${entry}"`}]`;
  });
  const { rows: unchanged } = await db.executeQuery<{ unchanged: number }>(
    CompiledQuery.raw(INSERT_EACH, [new EachRow(`[${rows.join(",")}]`)]),
  );
  if (unchanged.length === 0) return calls;
  const known = new Set(unchanged.map((one) => one.unchanged));
  return calls.filter((_call, index) => !known.has(index));
}

async function insertAll<Call extends LoggedRow>(
  db: Kysely<Tables>,
  calls: readonly Call[],
  entryOf: (record: UsageRecord) => string | null,
): Promise<readonly Call[]> {
  const lists = calls.map(({ record }) => [...keptValues(record), entryOf(record)]);
  const { rows } = await statement<{ id: string }>`
    insert into usage_log (${NAMES}, team_name)
    select ${VALUES}, t.name from ${new JsonRows(LOG_COLUMNS, lists)}
    left join teams t on t.id = r.team_id where true
    on conflict (id) do nothing returning id`.execute(db);
  const fresh = new Set(rows.map(({ id }) => id));
  return calls.filter(({ record }) => fresh.delete(record.id));
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
