import { index, oneOf } from "./constraints.ts";
import type { Migration } from "./migration.ts";

const STATUSES = ["queued", "running", "paused", "completed", "cancelled"];

/** Participants of organizations, their runs, and what has happened in each run, in order. */
export const training: Migration = {
  name: "0016-training",
  async up(db) {
    await db.schema
      .createTable("training_participants")
      .addColumn("id", "text", (c) => c.primaryKey().notNull())
      .addColumn("organization_id", "text", (c) => c.notNull().references("organizations.id").onDelete("cascade"))
      .addColumn("name", "text", (c) => c.notNull())
      .addColumn("url", "text", (c) => c.notNull())
      .addColumn("sealed_token", "text")
      .addColumn("max_examples", "bigint")
      .addColumn("probe", "text", (c) => c.notNull())
      .addColumn("created_by", "integer", (c) => c.references("users.id").onDelete("set null"))
      .addColumn("created_at", "bigint", (c) => c.notNull())
      .addColumn("updated_at", "bigint", (c) => c.notNull())
      .addUniqueConstraint("training_participants_name", ["organization_id", "name"])
      .execute();
    await index(db, "training_participants", "created_by");

    await db.schema
      .createTable("training_runs")
      .addColumn("id", "text", (c) => c.primaryKey().notNull())
      .addColumn("organization_id", "text", (c) => c.notNull().references("organizations.id").onDelete("cascade"))
      .addColumn("name", "text", (c) => c.notNull())
      .addColumn("plan", "text", (c) => c.notNull())
      .addColumn("status", "text", (c) => c.notNull().check(oneOf("status", STATUSES)))
      .addColumn("reason", "text")
      .addColumn("rounds", "integer", (c) => c.notNull())
      .addColumn("rounds_done", "integer", (c) => c.notNull())
      .addColumn("events_made", "integer", (c) => c.notNull())
      .addColumn("initial_hash", "text")
      .addColumn("lease_owner", "text")
      .addColumn("lease_until", "bigint")
      .addColumn("attempts", "integer", (c) => c.notNull())
      .addColumn("created_by", "integer", (c) => c.references("users.id").onDelete("set null"))
      .addColumn("created_at", "bigint", (c) => c.notNull())
      .addColumn("updated_at", "bigint", (c) => c.notNull())
      .addColumn("started_at", "bigint")
      .addColumn("ended_at", "bigint")
      .execute();
    await index(db, "training_runs", "organization_id", "id");
    await index(db, "training_runs", "status", "lease_until");
    await index(db, "training_runs", "created_by");

    await db.schema
      .createTable("training_events")
      .addColumn("run_id", "text", (c) => c.notNull().references("training_runs.id").onDelete("cascade"))
      .addColumn("number", "integer", (c) => c.notNull())
      .addColumn("at", "bigint", (c) => c.notNull())
      .addColumn("kind", "text", (c) => c.notNull().check(oneOf("kind", ["status", "round"])))
      // Only of a round: each is there once.
      .addColumn("round", "integer")
      .addColumn("data", "text", (c) => c.notNull())
      .addPrimaryKeyConstraint("training_events_place", ["run_id", "number"])
      .addUniqueConstraint("training_events_round", ["run_id", "round"])
      .execute();
  },
};
