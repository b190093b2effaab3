import type { CreateTableBuilder, Kysely } from "kysely";
import { index, oneOf } from "./constraints.ts";
import type { Migration } from "./migration.ts";

const STATUSES = ["succeeded", "rejected", "failed", "cancelled", "partial", "aborted"];

/** What every call used and cost, one by one and summed up; and the prices that were asked. */
export const usage: Migration = {
  name: "0007-usage",
  async up(db) {
    await createUsageLog(db);
    await createUsageQuarters(db);
    await db.schema
      .createTable("usage_contents")
      .addColumn("id", "text", (c) => c.primaryKey().notNull())
      .addColumn("request", "text")
      .addColumn("response", "text")
      .execute();
    await db.schema
      .createTable("price_versions")
      .addColumn("id", "text", (c) => c.primaryKey().notNull())
      .addColumn("prices", "text", (c) => c.notNull())
      .addColumn("first_seen_at", "bigint", (c) => c.notNull())
      .execute();
  },
};

/** Without foreign keys: the log outlives the keys, teams and people that it names. */
async function createUsageLog(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("usage_log")
    .addColumn("id", "text", (c) => c.primaryKey().notNull())
    .addColumn("at", "bigint", (c) => c.notNull())
    .addColumn("organization_id", "text")
    .addColumn("team_id", "text")
    .addColumn("team_name", "text")
    .addColumn("key_id", "text", (c) => c.notNull())
    .addColumn("key_name", "text", (c) => c.notNull())
    .addColumn("user_id", "integer")
    .$call(addCall)
    .$call((table) => addWhole(table, "integer", UNITS))
    .$call(addOutcome)
    .execute();
  await index(db, "usage_log", "organization_id", "at", "id");
  await index(db, "usage_log", "key_id", "at", "id");
  await index(db, "usage_log", "at", "id");
}

const addCall = (table: CreateTableBuilder<string, string>) =>
  table
    .addColumn("operation", "text", (c) => c.notNull())
    .addColumn("endpoint", "text", (c) => c.notNull())
    .addColumn("requested_model", "text", (c) => c.notNull())
    .addColumn("model", "text")
    .addColumn("deployment_id", "text")
    .addColumn("provider", "text")
    .addColumn("upstream_model", "text")
    .addColumn("upstream_id", "text")
    .addColumn("status", "text", (c) => c.notNull().check(oneOf("status", STATUSES)))
    .addColumn("status_code", "integer", (c) => c.notNull())
    .addColumn("error_code", "text")
    .addColumn("stream", "boolean", (c) => c.notNull())
    .addColumn("cache_hit", "boolean", (c) => c.notNull());

const addOutcome = (table: CreateTableBuilder<string, string>) =>
  table
    .addColumn("cost", "bigint", (c) => c.notNull())
    .addColumn("provider_cost", "bigint", (c) => c.notNull())
    .addColumn("cost_parts", "text", (c) => c.notNull())
    .addColumn("estimated", "boolean", (c) => c.notNull())
    .addColumn("price_version", "text")
    .addColumn("latency_ms", "integer", (c) => c.notNull())
    .addColumn("first_byte_ms", "integer")
    .addColumn("attempts", "text", (c) => c.notNull())
    .addColumn("address", "text")
    .addColumn("user_agent", "text")
    .addColumn("end_user", "text")
    .addColumn("tags", "text", (c) => c.notNull())
    .addColumn("metadata", "text", (c) => c.notNull())
    .addColumn("entry_id", "text");

/**
 * Sums by quarter of an hour, because that is what every time zone is made of: hours would not fold into the days of
 * India or Nepal. What is not there is an empty text or 0, since a key of a table cannot be null.
 */
async function createUsageQuarters(db: Kysely<unknown>): Promise<void> {
  const table = db.schema
    .createTable("usage_quarters")
    .addColumn("organization_id", "text", (c) => c.notNull())
    .addColumn("at", "bigint", (c) => c.notNull())
    .addColumn("team_id", "text", (c) => c.notNull())
    .addColumn("key_id", "text", (c) => c.notNull())
    .addColumn("user_id", "integer", (c) => c.notNull())
    .addColumn("model", "text", (c) => c.notNull())
    .addColumn("provider", "text", (c) => c.notNull())
    .addColumn("operation", "text", (c) => c.notNull())
    .addColumn("status", "text", (c) => c.notNull().check(oneOf("status", STATUSES)));
  await addWhole(table, "bigint", SUMS)
    .addColumn("last_at", "bigint", (c) => c.notNull())
    .addPrimaryKeyConstraint("usage_quarters_pk", [
      "organization_id",
      "at",
      "team_id",
      "key_id",
      "user_id",
      "model",
      "provider",
      "operation",
      "status",
    ])
    .execute();
  await index(db, "usage_quarters", "at");
  await index(db, "usage_quarters", "key_id", "at");
  await index(db, "usage_quarters", "team_id", "at");
  await index(db, "usage_quarters", "user_id", "at");
}

const UNITS = [
  "prompt_tokens",
  "completion_tokens",
  "cached_tokens",
  "cache_write_tokens",
  "cache_write1h_tokens",
  "reasoning_tokens",
  "audio_input_tokens",
  "audio_output_tokens",
  "images",
  "sound_ms",
  "characters",
];
const SUMS = [
  "requests",
  ...UNITS,
  "cost",
  "provider_cost",
  "cache_hits",
  "latency_ms",
  "first_byte_ms",
  "first_byte_calls",
];

function addWhole<T extends CreateTableBuilder<string, string>>(
  table: T,
  type: "integer" | "bigint",
  names: readonly string[],
): CreateTableBuilder<string, string> {
  return names.reduce<CreateTableBuilder<string, string>>(
    (made, name) => made.addColumn(name, type, (c) => c.notNull()),
    table,
  );
}
