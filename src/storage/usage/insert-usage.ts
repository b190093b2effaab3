import { CompiledQuery, type Kysely, sql } from "kysely";
import type { UsageRecord } from "../../contract/usage.ts";
import { storable } from "../../usage/storable.ts";
import { columnList, isSqlite, listsText, postgresRows } from "../json-rows.ts";
import { eachRow } from "../sqlite/protocol.ts";
import type { Tables } from "../tables.ts";
import { LOG_COLUMNS, logValues } from "./log-columns.ts";

/**
 * Writes calls into the log, each with the entry that will charge it, and gives the ids of those that were not there yet:
 * only they count. The team's name is kept as it is now, since the log outlives the team.
 */
export async function insertUsage(
  db: Kysely<Tables>,
  records: readonly UsageRecord[],
  entryOf: (record: UsageRecord) => string | null = () => null,
): Promise<ReadonlySet<string>> {
  if (records.length === 0) return new Set();
  const lists = records.map((record) => logValues(storable(record), entryOf(record)));
  const { rows } = await (isSqlite(db)
    ? db.executeQuery<{ id: string }>(CompiledQuery.raw(INSERT_EACH, [eachRow(listsText(lists))]))
    : sql<{ id: string }>`
        insert into usage_log (${columnList(LOG_COLUMNS)}, team_name)
        select ${columnList(LOG_COLUMNS, "r.")}, t.name from ${postgresRows(LOG_COLUMNS, lists)}
        left join teams t on t.id = r.team_id where true
        on conflict (id) do nothing returning id`.execute(db));
  return new Set(rows.map(({ id }) => id));
}

/** Row by row: taken out of one JSON text by `json_each`, the 45 columns took SQLite five times as long. */
const INSERT_EACH = (() => {
  const columns = Object.entries(LOG_COLUMNS);
  const values = columns.map(([, type], index) =>
    type === "bigint" ? `cast(?${index + 1} as integer)` : `?${index + 1}`,
  );
  const team = columns.findIndex(([name]) => name === "team_id") + 1;
  return `insert into usage_log (${columns.map(([name]) => name).join(", ")}, team_name)
    values (${values.join(", ")}, (select name from teams where id = ?${team})) on conflict (id) do nothing returning id`;
})();
