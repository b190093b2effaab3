import { index, oneOf } from "./constraints.ts";
import type { Migration } from "./migration.ts";

/** Answers that are given again to a call that is sent again under the same `Idempotency-Key`. */
export const idempotency: Migration = {
  name: "0009-idempotency",
  async up(db) {
    await db.schema
      .createTable("idempotency")
      .addColumn("scope", "text", (c) => c.notNull())
      .addColumn("key_hash", "text", (c) => c.notNull())
      .addColumn("body_hash", "text", (c) => c.notNull())
      .addColumn("state", "text", (c) => c.notNull().check(oneOf("state", ["running", "done"])))
      .addColumn("status", "integer")
      .addColumn("headers", "text")
      .addColumn("body", "text")
      .addColumn("expires_at", "bigint", (c) => c.notNull())
      .addPrimaryKeyConstraint("idempotency_pkey", ["scope", "key_hash"])
      .execute();
    await index(db, "idempotency", "expires_at");
  },
};
