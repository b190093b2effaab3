import type { Kysely } from "kysely";
import type { CountedCall } from "../../contract/usage.ts";
import { type Rollup, rollupsOf } from "../../usage/rollup.ts";
import { columnList, type JsonColumns, JsonRows } from "../json-rows.ts";
import { SqlText, type Statement, statement } from "../statement.ts";
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
const FIELDS = Object.keys(COLUMNS).map((column) => fieldOf(column) as keyof Rollup);
const NAMES = new SqlText(columnList(COLUMNS));
const VALUES = new SqlText(columnList(COLUMNS, "r."));
const UNIQUE = new SqlText(columnList(KEYS));
const ADDED = new SqlText(
  Object.keys(SUMS)
    .map((name) => `${name} = usage_quarters.${name} + excluded.${name}`)
    .join(", "),
);

type Logged = readonly { readonly record: CountedCall }[];

/** Adds calls to the sums: those that `insertUsage` took, each once. */
export async function foldRollups(db: Kysely<Tables>, calls: Logged): Promise<void> {
  if (calls.length > 0) await folding(calls).execute(db);
}

/** The same as something to ask together with others; of one call at least. */
export function folding(calls: Logged): Statement<never> {
  const lists = rollupsOf(calls).map((rollup) => FIELDS.map((field) => rollup[field]));
  return statement<never>`
    insert into usage_quarters (${NAMES})
    select ${VALUES} from ${new JsonRows(COLUMNS, lists)} where true
    on conflict (${UNIQUE}) do update set ${ADDED},
      last_at = case when excluded.last_at > usage_quarters.last_at then excluded.last_at else usage_quarters.last_at end
  `;
}
