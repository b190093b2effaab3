import { type CreateTableBuilder, type Kysely, sql } from "kysely";
import { index } from "./constraints.ts";
import type { Migration } from "./migration.ts";

/**
 * Sums of calls by day of UTC, and of who spent what ever. Both are made of the sums by quarter of an hour: a million and a half
 * of these take some seconds.
 */
export const largerSums: Migration = {
  name: "0035-larger-sums",
  async up(db, { kind }) {
    // Servers that are still running settle calls: what they add must not fall between the copy and its end.
    if (kind === "postgres") await sql`lock table usage_quarters in share row exclusive mode`.execute(db);
    await createDays(db);
    await createTotals(db);
    await fill(db);
    // After they are filled, which takes half as long as the other way round.
    for (const column of ["key_id", "team_id", "user_id"]) {
      await index(db, "usage_days", column, "at");
      await index(db, "usage_totals", column);
    }
    await index(db, "usage_days", "at");
  },
};

const OWNERS = ["team_id", "key_id", "user_id"];
const KINDS = ["model", "provider", "operation", "status"];
const SUMS = [
  "requests",
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
  "cost",
  "provider_cost",
  "cache_hits",
  "latency_ms",
  "first_byte_ms",
  "first_byte_calls",
];

async function createDays(db: Kysely<unknown>): Promise<void> {
  const table = db.schema
    .createTable("usage_days")
    .addColumn("organization_id", "text", (c) => c.notNull())
    .addColumn("at", "bigint", (c) => c.notNull())
    .$call(addOwners);
  const named = KINDS.reduce((made, name) => made.addColumn(name, "text", (c) => c.notNull()), table);
  await [...SUMS, "last_at"]
    .reduce((made, name) => made.addColumn(name, "bigint", (c) => c.notNull()), named)
    .addPrimaryKeyConstraint("usage_days_pk", ["organization_id", "at", ...OWNERS, ...KINDS] as never)
    .execute();
}

async function createTotals(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("usage_totals")
    .addColumn("organization_id", "text", (c) => c.notNull())
    .$call(addOwners)
    .addColumn("requests", "bigint", (c) => c.notNull())
    .addColumn("cost", "bigint", (c) => c.notNull())
    .addColumn("last_at", "bigint", (c) => c.notNull())
    .addPrimaryKeyConstraint("usage_totals_pk", ["organization_id", ...OWNERS] as never)
    .execute();
}

const addOwners = (table: CreateTableBuilder<string, string>) =>
  table
    .addColumn("team_id", "text", (c) => c.notNull())
    .addColumn("key_id", "text", (c) => c.notNull())
    .addColumn("user_id", "integer", (c) => c.notNull());

async function fill(db: Kysely<unknown>): Promise<void> {
  const kinds = sql.raw([...OWNERS, ...KINDS].join(", "));
  await sql`
    insert into usage_days (organization_id, at, ${kinds}, ${sql.raw(SUMS.join(", "))}, last_at)
    select organization_id, at - at % 86400000 as day, ${kinds}, ${sql.raw(SUMS.map((name) => `sum(${name})`).join(", "))},
      max(last_at)
    from usage_quarters group by organization_id, day, ${kinds}`.execute(db);
  const owners = sql.raw(["organization_id", ...OWNERS].join(", "));
  await sql`
    insert into usage_totals (${owners}, requests, cost, last_at)
    select ${owners}, sum(requests), sum(cost), max(last_at) from usage_days group by ${owners}`.execute(db);
}
