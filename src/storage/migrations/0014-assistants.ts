import { index, oneOf } from "./constraints.ts";
import type { Migration } from "./migration.ts";

const STATUSES = [
  "queued",
  "in_progress",
  "requires_action",
  "cancelling",
  "cancelled",
  "failed",
  "completed",
  "incomplete",
  "expired",
];

/** Assistants, conversations and their runs. What the master key makes belongs to no team. */
export const assistants: Migration = {
  name: "0014-assistants",
  async up(db) {
    await db.schema
      .createTable("assistants")
      .addColumn("id", "text", (c) => c.primaryKey().notNull())
      .addColumn("team_id", "text", (c) => c.references("teams.id").onDelete("cascade"))
      .addColumn("created_at", "bigint", (c) => c.notNull())
      .addColumn("fields", "text", (c) => c.notNull())
      .execute();
    await index(db, "assistants", "team_id", "id");

    await db.schema
      .createTable("threads")
      .addColumn("id", "text", (c) => c.primaryKey().notNull())
      .addColumn("team_id", "text", (c) => c.references("teams.id").onDelete("cascade"))
      .addColumn("created_at", "bigint", (c) => c.notNull())
      .addColumn("messages_made", "integer", (c) => c.notNull())
      .addColumn("fields", "text", (c) => c.notNull())
      .execute();
    await index(db, "threads", "team_id", "id");

    await db.schema
      .createTable("thread_messages")
      .addColumn("id", "text", (c) => c.primaryKey().notNull())
      .addColumn("thread_id", "text", (c) => c.notNull().references("threads.id").onDelete("cascade"))
      .addColumn("position", "integer", (c) => c.notNull())
      .addColumn("created_at", "bigint", (c) => c.notNull())
      .addColumn("run_id", "text")
      .addColumn("fields", "text", (c) => c.notNull())
      .addUniqueConstraint("thread_messages_place", ["thread_id", "position"])
      .execute();

    await db.schema
      .createTable("runs")
      .addColumn("id", "text", (c) => c.primaryKey().notNull())
      .addColumn("thread_id", "text", (c) => c.notNull().references("threads.id").onDelete("cascade"))
      // The thread while the run is under way, else nothing: so a thread has one at a time.
      .addColumn("active_thread_id", "text", (c) => c.unique())
      .addColumn("team_id", "text")
      .addColumn("key_id", "text", (c) => c.notNull())
      .addColumn("assistant_id", "text", (c) => c.notNull())
      .addColumn("created_at", "bigint", (c) => c.notNull())
      .addColumn("expires_at", "bigint", (c) => c.notNull())
      .addColumn("status", "text", (c) => c.notNull().check(oneOf("status", STATUSES)))
      .addColumn("lease_owner", "text")
      .addColumn("lease_until", "bigint")
      .addColumn("attempts", "integer", (c) => c.notNull())
      .addColumn("settings", "text", (c) => c.notNull())
      .addColumn("progress", "text", (c) => c.notNull())
      .addColumn("metadata", "text", (c) => c.notNull())
      .execute();
    await index(db, "runs", "thread_id", "id");
    await index(db, "runs", "status", "lease_until");

    await db.schema
      .createTable("run_steps")
      .addColumn("id", "text", (c) => c.primaryKey().notNull())
      .addColumn("run_id", "text", (c) => c.notNull().references("runs.id").onDelete("cascade"))
      .addColumn("position", "integer", (c) => c.notNull())
      .addColumn("created_at", "bigint", (c) => c.notNull())
      .addColumn("fields", "text", (c) => c.notNull())
      .addUniqueConstraint("run_steps_place", ["run_id", "position"])
      .execute();
  },
};
