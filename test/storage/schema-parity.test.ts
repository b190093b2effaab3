import { describe, expect, test } from "bun:test";
import type { Backend } from "../../src/storage/backend.ts";
import { migrateUp } from "../../src/storage/migrate.ts";
import { migrations } from "../../src/storage/migrations/index.ts";
import type { Migration } from "../../src/storage/migrations/migration.ts";
import { openBackend } from "../../src/storage/open.ts";
import { postgresMissing } from "../services/postgres.ts";
import { freshDatabase } from "./databases.ts";
import { differencesBetween, pictureOf, type SchemaPicture } from "./schema-picture.ts";

async function schemaAfter(kind: Backend["kind"], steps: readonly Migration[]): Promise<SchemaPicture> {
  using database = await freshDatabase(kind);
  const backend = openBackend(database.settings);
  try {
    await migrateUp(backend, steps);
    return await backend.withoutTimeLimit((db) => pictureOf(kind, db));
  } finally {
    await backend.close();
  }
}

/** A step, after the first of ours, that does something else on PostgreSQL than on SQLite. */
function deviating(onSqlite: Migration["up"], onPostgres: Migration["up"]) {
  const name = "9999-deviating";
  const first = migrations.slice(0, 1);
  return {
    sqlite: [...first, { name, up: onSqlite }],
    postgres: [...first, { name, up: onPostgres }],
  };
}

describe.skipIf(postgresMissing !== null)("schema parity", () => {
  test("the migrations make the same schema in both databases", async () => {
    const sqlite = await schemaAfter("sqlite", migrations);
    const postgres = await schemaAfter("postgres", migrations);
    expect(differencesBetween(sqlite, postgres)).toEqual([]);
    // Money is whole numbers, and so is everything else.
    expect([...sqlite, ...postgres].filter((fact) => /is (real|double|float|numeric|decimal)/i.test(fact))).toEqual([]);
    // Guards against a comparison of nothing with nothing.
    expect([...sqlite]).toContainValues([
      "users.id is integer",
      "users has primary key (id)",
      "users has unique (email)",
      "users checks for admin, user",
      "api_keys.expires_at is bigint or null",
      "api_keys.created_by references users.id on delete set null",
      "api_keys has index (team_id, created_at)",
      "api_keys has unique (previous_hash)",
      "api_keys checks for %d, %h, %m, %mo, %s, %w, day, hour, month, total, week",
      "organizations.owner_id references users.id on delete restrict",
      "teams has unique (organization_id, name)",
      "organizations checks for invoiced, prepaid",
      "organizations.store_prompts is boolean default false",
      "teams.model_aliases is text default {}",
      "api_keys.budget_id references budgets.id on delete set null",
      "audit_log has index (organization_id, at)",
      "organization_members has primary key (organization_id, user_id)",
    ]);
  });

  test.each([
    {
      what: "a type and a null",
      steps: deviating(
        (db) =>
          db.schema
            .alterTable("teams")
            .addColumn("spent", "bigint", (c) => c.notNull().defaultTo(0))
            .execute(),
        (db) => db.schema.alterTable("teams").addColumn("spent", "integer").execute(),
      ),
      difference: [
        "only in SQLite: teams.spent is bigint default 0",
        "only in PostgreSQL: teams.spent is integer or null",
      ],
    },
    {
      what: "a default",
      steps: deviating(
        (db) =>
          db.schema
            .alterTable("teams")
            .addColumn("colour", "text", (c) => c.notNull().defaultTo("red"))
            .execute(),
        (db) =>
          db.schema
            .alterTable("teams")
            .addColumn("colour", "text", (c) => c.notNull().defaultTo("blue"))
            .execute(),
      ),
      difference: [
        "only in PostgreSQL: teams.colour is text default blue",
        "only in SQLite: teams.colour is text default red",
      ],
    },
    {
      what: "a missing index",
      steps: deviating(
        (db) => db.schema.createIndex("teams_name").on("teams").column("name").execute(),
        async () => {},
      ),
      difference: ["only in SQLite: teams has index (name)"],
    },
    {
      what: "a unique index that is not unique",
      steps: deviating(
        (db) => db.schema.createIndex("teams_name").unique().on("teams").column("name").execute(),
        (db) => db.schema.createIndex("teams_name").on("teams").column("name").execute(),
      ),
      difference: ["only in SQLite: teams has unique (name)", "only in PostgreSQL: teams has index (name)"],
    },
    {
      what: "a missing table",
      steps: deviating(
        async () => {},
        (db) => db.schema.createTable("extra").addColumn("id", "text").execute(),
      ),
      difference: ["only in PostgreSQL: extra.id is text or null"],
    },
    {
      what: "what happens to the children",
      steps: deviating(
        (db) =>
          db.schema
            .createTable("notes")
            .addColumn("team_id", "text", (c) => c.references("teams.id").onDelete("cascade"))
            .execute(),
        (db) =>
          db.schema
            .createTable("notes")
            .addColumn("team_id", "text", (c) => c.references("teams.id"))
            .execute(),
      ),
      difference: [
        "only in SQLite: notes.team_id references teams.id on delete cascade",
        "only in PostgreSQL: notes.team_id references teams.id on delete no action",
      ],
    },
  ])("a migration that differs in $what is reported", async ({ steps, difference }) => {
    const sqlite = await schemaAfter("sqlite", steps.sqlite);
    const postgres = await schemaAfter("postgres", steps.postgres);
    expect(differencesBetween(sqlite, postgres)).toEqual([...difference].sort());
  });
});
