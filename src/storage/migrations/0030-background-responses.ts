import { index, oneOf } from "./constraints.ts";
import type { Migration } from "./migration.ts";

/** Responses that are carried out behind their calls, and the events that tell them. */
export const backgroundResponses: Migration = {
  name: "0030-background-responses",
  async up(db) {
    await db.schema
      .createTable("background_responses")
      .addColumn("id", "text", (c) => c.primaryKey().notNull().references("responses.id").onDelete("cascade"))
      .addColumn("key_id", "text", (c) => c.notNull())
      .addColumn("status", "text", (c) => c.notNull().check(oneOf("status", ["queued", "in_progress", "ended"])))
      .addColumn("lease_owner", "text")
      .addColumn("lease_until", "bigint")
      .addColumn("ended_at", "bigint")
      .addColumn("told", "integer", (c) => c.notNull())
      .addColumn("asked", "text", (c) => c.notNull())
      .execute();
    await index(db, "background_responses", "status", "lease_until");
    await index(db, "background_responses", "ended_at");

    await db.schema
      .createTable("response_events")
      .addColumn("response_id", "text", (c) => c.notNull().references("background_responses.id").onDelete("cascade"))
      // The number of the last event of some that were written together.
      .addColumn("last", "integer", (c) => c.notNull())
      .addColumn("events", "text", (c) => c.notNull())
      .addPrimaryKeyConstraint("response_events_pk", ["response_id", "last"])
      .execute();
  },
};
