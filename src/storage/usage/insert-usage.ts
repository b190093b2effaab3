import { type Kysely, sql } from "kysely";
import type { UsageRecord } from "../../contract/usage.ts";
import { storable } from "../../usage/storable.ts";
import { columnList, jsonRows } from "../json-rows.ts";
import type { Tables } from "../tables.ts";
import { LOG_COLUMNS, toLogRow } from "./log-columns.ts";

/**
 * Writes calls into the log and gives the ids of those that were not there yet: only they count. The team's name is
 * kept as it is now, since the log outlives the team.
 */
export async function insertUsage(db: Kysely<Tables>, records: readonly UsageRecord[]): Promise<ReadonlySet<string>> {
  if (records.length === 0) return new Set();
  const rows = records.map((record) => toLogRow(storable(record)));
  const { rows: inserted } = await sql<{ id: string }>`
    insert into usage_log (${columnList(LOG_COLUMNS)}, team_name)
    select ${columnList(LOG_COLUMNS, "r.")}, t.name from ${jsonRows(db, LOG_COLUMNS, rows)}
    left join teams t on t.id = r.team_id where true
    on conflict (id) do nothing returning id`.execute(db);
  return new Set(inserted.map(({ id }) => id));
}
