import type { Migration } from "./migration.ts";

/** What was taken off the spend of keys by hand; the books have it as before. */
export const resetSpend: Migration = {
  name: "0025-reset-spend",
  async up(db) {
    const keys = db.schema.alterTable("api_keys");
    await keys.addColumn("waived_spend", "bigint", (c) => c.notNull().defaultTo(0)).execute();
    await keys.addColumn("waived_budget", "bigint", (c) => c.notNull().defaultTo(0)).execute();
    await keys.addColumn("waived_window_at", "bigint").execute();
  },
};
