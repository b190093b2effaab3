import { index } from "./constraints.ts";
import type { Migration } from "./migration.ts";

/** What budgets have spent, by the window that it was spent in, and what was told of it and of keys that end. */
export const budgetWindows: Migration = {
  name: "0013-budget-windows",
  async up(db) {
    const table = db.schema.alterTable("budget_spend");
    await table.addColumn("subject", "text").execute();
    await table.addColumn("starts_at", "bigint").execute();
    await table.addColumn("ends_at", "bigint").execute();
    await table.addColumn("told_percent", "integer", (c) => c.notNull().defaultTo(0)).execute();
    await table.addColumn("told_soft", "boolean", (c) => c.notNull().defaultTo(false)).execute();
    await index(db, "budget_spend", "subject", "ends_at");

    await db.schema
      .createTable("budget_alerts")
      .addColumn("organization_id", "text", (c) => c.primaryKey().notNull())
      .addColumn("percents", "text", (c) => c.notNull())
      .execute();

    await db.schema
      .createTable("told_expiries")
      .addColumn("key_id", "text", (c) => c.notNull().references("api_keys.id").onDelete("cascade"))
      .addColumn("expires_at", "bigint", (c) => c.notNull())
      .addPrimaryKeyConstraint("told_expiries_pk", ["key_id", "expires_at"])
      .execute();
  },
};
