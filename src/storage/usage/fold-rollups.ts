import type { Kysely } from "kysely";
import type { CountedCall } from "../../contract/usage.ts";
import { dailyOf, type OwnerTotal, ownerTotalsOf, type Rollup, rollupsOf } from "../../usage/rollup.ts";
import { type JsonColumns, kindOf } from "../json-rows.ts";
import type { Question } from "../statement-batch.ts";
import type { Tables } from "../tables.ts";
import { fieldOf } from "./log-columns.ts";
import { SumTable } from "./sum-table.ts";

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

const QUARTERS = new SumTable("usage_quarters", KEYS, SUMS);
const DAYS = new SumTable("usage_days", KEYS, SUMS);
const TOTALS = new SumTable("usage_totals", OWNER_KEYS, OWNER_SUMS);

const fieldsOf = (...columns: readonly JsonColumns[]): string[] =>
  [...columns.flatMap((some) => Object.keys(some)), "last_at"].map(fieldOf);
const FIELDS = fieldsOf(KEYS, SUMS) as (keyof Rollup)[];
const OWNER_FIELDS = fieldsOf(OWNER_KEYS, OWNER_SUMS) as (keyof OwnerTotal)[];

type Logged = readonly { readonly record: CountedCall }[];

/** Adds calls to the sums: those that `insertUsage` took, each once. */
export async function foldRollups(db: Kysely<Tables>, calls: Logged): Promise<void> {
  if (calls.length === 0) return;
  for (const folding of rollupStatements(calls)) await db.executeQuery(folding.compiled(kindOf(db)));
}

/**
 * The same as something to ask together with others; of one call at least. Always in this order: whoever makes sums anew
 * keeps the quarters to itself, and waits for nobody then.
 */
export function rollupStatements(calls: Logged): readonly Question<never>[] {
  const quarters = rollupsOf(calls);
  const days = dailyOf(quarters);
  return [
    QUARTERS.adding(valuesOf(quarters, FIELDS)),
    DAYS.adding(valuesOf(days, FIELDS)),
    TOTALS.adding(valuesOf(ownerTotalsOf(days), OWNER_FIELDS)),
  ];
}

const valuesOf = <Row>(rows: readonly Row[], fields: readonly (keyof Row)[]): unknown[][] =>
  rows.map((row) => fields.map((field) => row[field]));
