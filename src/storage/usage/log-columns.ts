import type { UsageRecord } from "../../contract/usage.ts";
import type { JsonColumns } from "../json-rows.ts";

/** The columns of `usage_log` that a record fills. */
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
} as const satisfies JsonColumns;

type Field = keyof UsageRecord;

const FIELDS: readonly (readonly [column: string, field: Field])[] = Object.keys(LOG_COLUMNS).map((column) => [
  column,
  fieldOf(column) as Field,
]);

/** As Kysely's plugin reads it. */
export function fieldOf(column: string): string {
  return column.replace(/_([a-z0-9])/g, (_match, letter: string) => letter.toUpperCase());
}

/** Lists and objects are text of their own, in which nothing is left that a database could stumble over. */
export const toLogRow = (record: UsageRecord): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    FIELDS.map(([column, field]) => {
      const value = record[field];
      return [column, typeof value === "object" && value !== null ? encode(value) : value];
    }),
  );

const encode = (value: object): string =>
  JSON.stringify(value, (_name, part) => (typeof part === "bigint" ? part.toString() : part));
