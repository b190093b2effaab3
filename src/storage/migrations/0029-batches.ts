import { index, oneOf } from "./constraints.ts";
import type { Migration } from "./migration.ts";

const STATUSES = [
  "validating",
  "in_progress",
  "finalizing",
  "completed",
  "failed",
  "expired",
  "cancelling",
  "cancelled",
];

/** Files of calls that are carried out in the background, and what came of their lines until that is in a file, too. */
export const batches: Migration = {
  name: "0029-batches",
  async up(db) {
    await db.schema
      .createTable("batches")
      .addColumn("id", "text", (c) => c.primaryKey().notNull())
      .addColumn("team_id", "text", (c) => c.references("teams.id").onDelete("cascade"))
      .addColumn("key_id", "text", (c) => c.notNull())
      .addColumn("created_at", "bigint", (c) => c.notNull())
      .addColumn("expires_at", "bigint", (c) => c.notNull())
      .addColumn("status", "text", (c) => c.notNull().check(oneOf("status", STATUSES)))
      .addColumn("lease_owner", "text")
      .addColumn("lease_until", "bigint")
      .addColumn("attempts", "integer", (c) => c.notNull())
      .addColumn("total", "integer", (c) => c.notNull())
      .addColumn("completed", "integer", (c) => c.notNull())
      .addColumn("failed", "integer", (c) => c.notNull())
      .addColumn("asked", "text", (c) => c.notNull())
      .addColumn("progress", "text", (c) => c.notNull())
      .execute();
    await index(db, "batches", "team_id", "id");
    await index(db, "batches", "status", "lease_until");

    await db.schema
      .createTable("batch_lines")
      .addColumn("batch_id", "text", (c) => c.notNull().references("batches.id").onDelete("cascade"))
      .addColumn("line", "integer", (c) => c.notNull())
      .addColumn("failed", "boolean", (c) => c.notNull())
      .addColumn("text", "text", (c) => c.notNull())
      .addPrimaryKeyConstraint("batch_lines_once", ["batch_id", "line"])
      .execute();
  },
};
