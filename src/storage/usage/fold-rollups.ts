import type { Kysely } from "kysely";
import type { CountedCall } from "../../contract/usage.ts";
import { dailyOf, type OwnerTotal, ownerTotalsOf, type Rollup, rollupsOf } from "../../usage/rollup.ts";
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

/** Of who spent what ever. */
export const OWNER_KEYS = {
  organization_id: "text",
  team_id: "text",
  key_id: "text",
  user_id: "integer",
} as const satisfies JsonColumns;
export const OWNER_SUMS = { requests: "bigint", cost: "bigint" } as const satisfies JsonColumns;

const COLUMNS: JsonColumns = { ...KEYS, ...SUMS, last_at: "bigint" };
const FIELDS = Object.keys(COLUMNS).map((column) => fieldOf(column) as keyof Rollup);
const NAMES = new SqlText(columnList(COLUMNS));
const VALUES = new SqlText(columnList(COLUMNS, "r."));
const UNIQUE = new SqlText(columnList(KEYS));
const OWNER_COLUMNS: JsonColumns = { ...OWNER_KEYS, ...OWNER_SUMS, last_at: "bigint" };
const OWNER_FIELDS = Object.keys(OWNER_COLUMNS).map((column) => fieldOf(column) as keyof OwnerTotal);
const OWNER_NAMES = new SqlText(columnList(OWNER_COLUMNS));
const OWNER_VALUES = new SqlText(columnList(OWNER_COLUMNS, "r."));
const OWNER_UNIQUE = new SqlText(columnList(OWNER_KEYS));

const added = (table: string, sums: JsonColumns): SqlText =>
  new SqlText(
    [
      ...Object.keys(sums).map((name) => `${name} = ${table}.${name} + excluded.${name}`),
      `last_at = case when excluded.last_at > ${table}.last_at then excluded.last_at else ${table}.last_at end`,
    ].join(", "),
  );
const ADDED_TO_QUARTERS = added("usage_quarters", SUMS);
const ADDED_TO_DAYS = added("usage_days", SUMS);
const ADDED_TO_TOTALS = added("usage_totals", OWNER_SUMS);

type Logged = readonly { readonly record: CountedCall }[];

/** Adds calls to the sums: those that `insertUsage` took, each once. */
export async function foldRollups(db: Kysely<Tables>, calls: Logged): Promise<void> {
  if (calls.length === 0) return;
  for (const statement of foldings(calls)) await statement.execute(db);
}

/**
 * The same as something to ask together with others; of one call at least. Always in this order: whoever makes sums anew
 * keeps the quarters to itself, and waits for nobody then.
 */
export function foldings(calls: Logged): readonly Statement<never>[] {
  const quarters = rollupsOf(calls);
  const days = dailyOf(quarters);
  return [
    statement<never>`
      insert into usage_quarters (${NAMES}) select ${VALUES} from ${rowsOf(quarters)} where true
      on conflict (${UNIQUE}) do update set ${ADDED_TO_QUARTERS}`,
    statement<never>`
      insert into usage_days (${NAMES}) select ${VALUES} from ${rowsOf(days)} where true
      on conflict (${UNIQUE}) do update set ${ADDED_TO_DAYS}`,
    statement<never>`
      insert into usage_totals (${OWNER_NAMES}) select ${OWNER_VALUES} from ${totalRows(ownerTotalsOf(days))} where true
      on conflict (${OWNER_UNIQUE}) do update set ${ADDED_TO_TOTALS}`,
  ];
}

const rowsOf = (rollups: readonly Rollup[]): JsonRows =>
  new JsonRows(
    COLUMNS,
    rollups.map((rollup) => FIELDS.map((field) => rollup[field])),
  );

const totalRows = (totals: readonly OwnerTotal[]): JsonRows =>
  new JsonRows(
    OWNER_COLUMNS,
    totals.map((total) => OWNER_FIELDS.map((field) => total[field])),
  );
