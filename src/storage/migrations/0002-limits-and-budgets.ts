import type { ColumnDefinitionBuilder, Kysely } from "kysely";
import { index, oneOf } from "./constraints.ts";
import type { Migration } from "./migration.ts";

const BUDGET_WINDOWS = ["hour", "day", "week", "month", "total"];

type Build = (column: ColumnDefinitionBuilder) => ColumnDefinitionBuilder;
type ColumnType = "text" | "bigint" | "integer" | "boolean";

const AMOUNTS = ["budget", "soft_budget"] as const;
const RATES = ["rpm_limit", "tpm_limit"] as const;

/** What organizations, teams, their members, users and keys may spend and how fast; and budgets that several of them share. */
export const limitsAndBudgets: Migration = {
  name: "0002-limits-and-budgets",
  async up(db) {
    await createBudgets(db);
    const add = adder(db);

    await add("organizations", "billing", "text", (c) =>
      c
        .notNull()
        .defaultTo("prepaid")
        .check(oneOf("billing", ["prepaid", "invoiced"])),
    );
    await add("organizations", "status", "text", (c) =>
      c
        .notNull()
        .defaultTo("active")
        .check(oneOf("status", ["active", "blocked"])),
    );
    await addLimits(db, "organizations", [...AMOUNTS, ...RATES, "parallel_limit"]);
    await add("organizations", "models", "text", json("[]"));
    await add("organizations", "metadata", "text", json("{}"));
    await add("organizations", "store_prompts", "boolean", (c) => c.notNull().defaultTo(false));

    await addLimits(db, "teams", [...AMOUNTS, ...RATES, "parallel_limit"]);
    await add("teams", "metadata", "text", json("{}"));
    await add("teams", "tags", "text", json("[]"));
    await add("teams", "model_aliases", "text", json("{}"));

    await addLimits(db, "team_members", ["budget", ...RATES]);

    await addLimits(db, "users", ["budget", ...RATES]);
    await add("users", "metadata", "text", json("{}"));

    await add("api_keys", "soft_budget", "bigint");
    await add("api_keys", "model_limits", "text", json("{}"));
    await add("api_keys", "aliases", "text", json("{}"));

    for (const table of ["organizations", "teams", "users", "api_keys"]) {
      await add(table, "budget_id", "text", (c) => c.references("budgets.id").onDelete("set null"));
      await index(db, table, "budget_id");
    }
  },
};

async function createBudgets(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("budgets")
    .addColumn("id", "text", (c) => c.primaryKey().notNull())
    .addColumn("organization_id", "text", (c) => c.references("organizations.id").onDelete("cascade"))
    .addColumn("budget", "bigint")
    .addColumn("soft_budget", "bigint")
    .addColumn("budget_window", "text", (c) => c.check(oneOf("budget_window", BUDGET_WINDOWS)))
    .addColumn("rpm_limit", "integer")
    .addColumn("tpm_limit", "integer")
    .addColumn("parallel_limit", "integer")
    .addColumn("model_limits", "text", json("{}"))
    .addColumn("created_at", "bigint", (c) => c.notNull())
    .addColumn("updated_at", "bigint", (c) => c.notNull())
    .execute();
  await index(db, "budgets", "organization_id");
}

/** The columns, and the window wherever there is a budget. */
async function addLimits(db: Kysely<unknown>, table: string, names: readonly string[]): Promise<void> {
  const add = adder(db);
  for (const name of names) await add(table, name, name.endsWith("_limit") ? "integer" : "bigint");
  await add(table, "budget_window", "text", (c) => c.check(oneOf("budget_window", BUDGET_WINDOWS)));
}

/** SQLite adds one column at a time. */
const adder =
  (db: Kysely<unknown>) =>
  (table: string, name: string, type: ColumnType, build: Build = (c) => c): Promise<void> =>
    db.schema.alterTable(table).addColumn(name, type, build).execute();

const json =
  (empty: "[]" | "{}"): Build =>
  (c) =>
    c.notNull().defaultTo(empty);
