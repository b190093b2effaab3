import { index } from "./constraints.ts";
import type { Migration } from "./migration.ts";

/** Answers that later calls go on from. What the master key makes belongs to no team. */
export const responses: Migration = {
  name: "0026-responses",
  formerName: "0028-responses",
  async up(db) {
    await db.schema
      .createTable("responses")
      .addColumn("id", "text", (c) => c.primaryKey().notNull())
      .addColumn("team_id", "text", (c) => c.references("teams.id").onDelete("cascade"))
      .addColumn("previous_id", "text")
      .addColumn("created_at", "bigint", (c) => c.notNull())
      .addColumn("expires_at", "bigint", (c) => c.notNull())
      .addColumn("input", "text", (c) => c.notNull())
      .addColumn("answer", "text", (c) => c.notNull())
      .execute();
    await index(db, "responses", "team_id");
    await index(db, "responses", "expires_at");
  },
};
