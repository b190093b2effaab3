import { type Kysely, sql } from "kysely";
import type { UsageRecord } from "../../contract/usage.ts";
import { rollupsOf } from "../../usage/rollup.ts";
import { columnList, type JsonColumns, jsonRows } from "../json-rows.ts";
import type { Tables } from "../tables.ts";
import { fieldOf } from "./log-columns.ts";

export const KEYS = {
  at: "bigint",
  organization_id: "text",
  team_id: "text",
  key_id: "text",
  user_id: "integer",
  model: "text",
  provider: "text",
  operation: "text",
  status: "text",
} as const satisfies JsonColumns;

export const SUMS = {
  requests: "bigint",
  prompt_tokens: "bigint",
  completion_tokens: "bigint",
  cached_tokens: "bigint",
  cache_write_tokens: "bigint",
  cache_write1h_tokens: "bigint",
  reasoning_tokens: "bigint",
  audio_input_tokens: "bigint",
  audio_output_tokens: "bigint",
  images: "bigint",
  sound_ms: "bigint",
  characters: "bigint",
  cost: "bigint",
  provider_cost: "bigint",
  cache_hits: "bigint",
  latency_ms: "bigint",
  first_byte_ms: "bigint",
  first_byte_calls: "bigint",
} as const satisfies JsonColumns;

const COLUMNS: JsonColumns = { ...KEYS, ...SUMS, last_at: "bigint" };
const ADDED = sql.raw(
  Object.keys(SUMS)
    .map((name) => `${name} = usage_quarters.${name} + excluded.${name}`)
    .join(", "),
);

/** Adds calls to the sums, each id once; the caller gives only those that `insertUsage` took. */
export async function foldRollups(db: Kysely<Tables>, records: readonly UsageRecord[]): Promise<void> {
  if (records.length === 0) return;
  const calls = new Map(records.map((record) => [record.id, record]));
  const rows = rollupsOf([...calls.values()]).map((rollup) =>
    Object.fromEntries(Object.keys(COLUMNS).map((column) => [column, rollup[fieldOf(column) as keyof typeof rollup]])),
  );
  await sql`
    insert into usage_quarters (${columnList(COLUMNS)})
    select ${columnList(COLUMNS, "r.")} from ${jsonRows(db, COLUMNS, rows)} where true
    on conflict (${columnList(KEYS)}) do update set ${ADDED},
      last_at = case when excluded.last_at > usage_quarters.last_at then excluded.last_at else usage_quarters.last_at end
  `.execute(db);
}
