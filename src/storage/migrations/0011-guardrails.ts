import type { Migration } from "./migration.ts";

/** The guardrails that look at every call of a key or of a team, by their names. */
export const guardrails: Migration = {
  name: "0011-guardrails",
  async up(db) {
    for (const table of ["teams", "api_keys"]) {
      await db.schema
        .alterTable(table)
        .addColumn("guardrails", "text", (c) => c.notNull().defaultTo("[]"))
        .execute();
    }
  },
};
