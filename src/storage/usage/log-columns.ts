import type { UsageRecord } from "../../contract/usage.ts";
import type { JsonColumns } from "../json-rows.ts";

/** The columns of `usage_log` that a record fills, and the entry that charges it. */
export const LOG_COLUMNS = {
  id: "text",
  at: "bigint",
  organization_id: "text",
  team_id: "text",
  key_id: "text",
  key_name: "text",
  user_id: "integer",
  operation: "text",
  endpoint: "text",
  requested_model: "text",
  model: "text",
  deployment_id: "text",
  provider: "text",
  upstream_model: "text",
  upstream_id: "text",
  status: "text",
  status_code: "integer",
  error_code: "text",
  stream: "boolean",
  cache_hit: "boolean",
  prompt_tokens: "integer",
  completion_tokens: "integer",
  cached_tokens: "integer",
  cache_write_tokens: "integer",
  cache_write1h_tokens: "integer",
  reasoning_tokens: "integer",
  audio_input_tokens: "integer",
  audio_output_tokens: "integer",
  images: "integer",
  sound_ms: "integer",
  characters: "integer",
  cost: "bigint",
  provider_cost: "bigint",
  cost_parts: "text",
  estimated: "boolean",
  price_version: "text",
  latency_ms: "integer",
  first_byte_ms: "integer",
  attempts: "text",
  address: "text",
  user_agent: "text",
  end_user: "text",
  tags: "text",
  metadata: "text",
  entry_id: "text",
} as const satisfies JsonColumns;

type Field = keyof UsageRecord;

const FIELDS: readonly Field[] = Object.keys(LOG_COLUMNS)
  .filter((column) => column !== "entry_id")
  .map((column) => fieldOf(column) as Field);

/** As Kysely's plugin reads it. */
export function fieldOf(column: string): string {
  return column.replace(/_([a-z0-9])/g, (_match, letter: string) => letter.toUpperCase());
}

/** What stands in the columns, in their order, with the entry that charges the call. */
export function logValues(record: UsageRecord, entryId: string | null): unknown[] {
  const values: unknown[] = FIELDS.map((field) => {
    const value = record[field];
    return typeof value === "object" && value !== null ? encode(value) : value;
  });
  values.push(entryId);
  return values;
}

/** Lists and objects are text of their own, in which nothing is left that a database could stumble over. */
function encode(value: object): string {
  if (Array.isArray(value) && value.length === 0) return "[]";
  return JSON.stringify(value, (_name, part) => (typeof part === "bigint" ? part.toString() : part));
}
