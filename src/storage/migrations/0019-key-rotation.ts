import { index } from "./constraints.ts";
import type { Migration } from "./migration.ts";

/** When keys are given a new value by themselves, and the values that wait to be picked up. */
export const keyRotation: Migration = {
  name: "0019-key-rotation",
  formerName: "0020-key-rotation",
  async up(db) {
    const keys = db.schema.alterTable("api_keys");
    await keys.addColumn("rotation_interval", "text").execute();
    await keys.addColumn("rotation_grace_seconds", "integer").execute();
    await keys.addColumn("rotation_at", "bigint").execute();
    await keys.addColumn("rotation_count", "integer", (c) => c.notNull().defaultTo(0)).execute();
    await keys.addColumn("rotated_at", "bigint").execute();
    await keys.addColumn("unseen_at", "bigint").execute();
    await index(db, "api_keys", "rotation_at");

    // Apart from the key: whoever reads keys never reads these.
    await db.schema
      .createTable("unseen_key_values")
      .addColumn("key_id", "text", (c) => c.primaryKey().notNull().references("api_keys.id").onDelete("cascade"))
      .addColumn("sealed", "text", (c) => c.notNull())
      .execute();
  },
};
