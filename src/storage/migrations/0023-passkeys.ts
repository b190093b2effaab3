import { index } from "./constraints.ts";
import type { Migration } from "./migration.ts";

/** Passkeys of people, and which challenges were answered: each is good for one answer. */
export const passkeys: Migration = {
  name: "0023-passkeys",
  formerName: "0024-passkeys",
  async up(db) {
    await db.schema
      .createTable("passkeys")
      .addColumn("id", "text", (c) => c.primaryKey().notNull())
      .addColumn("user_id", "integer", (c) => c.notNull().references("users.id").onDelete("cascade"))
      .addColumn("credential_id", "text", (c) => c.notNull().unique())
      .addColumn("public_key", "text", (c) => c.notNull())
      .addColumn("counter", "bigint", (c) => c.notNull())
      .addColumn("rp_id", "text", (c) => c.notNull())
      .addColumn("transports", "text", (c) => c.notNull())
      .addColumn("name", "text", (c) => c.notNull())
      .addColumn("created_at", "bigint", (c) => c.notNull())
      .addColumn("last_used_at", "bigint")
      .execute();
    await index(db, "passkeys", "user_id");
    await db.schema
      .createTable("spent_challenges")
      .addColumn("id", "text", (c) => c.primaryKey().notNull())
      .addColumn("expires_at", "bigint", (c) => c.notNull())
      .execute();
    await index(db, "spent_challenges", "expires_at");
  },
};
