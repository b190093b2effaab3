import { index, oneOf } from "./constraints.ts";
import type { Migration } from "./migration.ts";

/** Apps that a person has allowed to fetch a key, until they have. */
export const connect: Migration = {
  name: "0022-connect",
  formerName: "0025-connect",
  async up(db) {
    await db.schema
      .createTable("connect_grants")
      .addColumn("id", "text", (c) => c.primaryKey().notNull())
      .addColumn("code_hash", "text", (c) => c.notNull().unique())
      .addColumn("status", "text", (c) => c.notNull().check(oneOf("status", ["open", "used"])))
      .addColumn("user_id", "integer", (c) => c.notNull().references("users.id").onDelete("cascade"))
      .addColumn("team_id", "text", (c) => c.notNull().references("teams.id").onDelete("cascade"))
      .addColumn("callback_url", "text", (c) => c.notNull())
      .addColumn("challenge", "text", (c) => c.notNull())
      .addColumn("budget", "bigint")
      .addColumn("budget_window", "text", (c) =>
        c.check(oneOf("budget_window", ["hour", "day", "week", "month", "total"])),
      )
      .addColumn("key_expires_at", "bigint")
      .addColumn("created_at", "bigint", (c) => c.notNull())
      .addColumn("expires_at", "bigint", (c) => c.notNull())
      .execute();
    await index(db, "connect_grants", "user_id");
    await index(db, "connect_grants", "team_id");
    await index(db, "connect_grants", "expires_at");
  },
};
