import type { Migration } from "./migration.ts";

/** Ids of users that the operator chose, viewers, and what a user may call: models and concurrent calls. */
export const chosenUserIds: Migration = {
  name: "0039-chosen-user-ids",
  async up(db) {
    await db.schema.alterTable("users").addColumn("external_id", "text").execute();
    await db.schema.createIndex("users_external_id").on("users").column("external_id").unique().execute();
    await db.schema
      .alterTable("users")
      .addColumn("models", "text", (c) => c.notNull().defaultTo("[]"))
      .execute();
    await db.schema.alterTable("users").addColumn("parallel_limit", "integer").execute();
    await db.schema
      .alterTable("users")
      .addColumn("viewer", "boolean", (c) => c.notNull().defaultTo(false))
      .execute();
  },
};
