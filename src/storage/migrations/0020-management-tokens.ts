import { index } from "./constraints.ts";
import type { Migration } from "./migration.ts";

/** Tokens by which programs manage an organization for one of its members, and where its keys and tokens may be used from. */
export const managementTokens: Migration = {
  name: "0020-management-tokens",
  formerName: "0021-management-tokens",
  async up(db) {
    await db.schema
      .createTable("management_tokens")
      .addColumn("id", "text", (c) => c.primaryKey().notNull())
      .addColumn("user_id", "integer", (c) => c.notNull())
      .addColumn("organization_id", "text", (c) => c.notNull())
      .addColumn("name", "text", (c) => c.notNull())
      .addColumn("hash", "text", (c) => c.notNull().unique())
      .addColumn("last4", "text", (c) => c.notNull())
      .addColumn("scopes", "text", (c) => c.notNull())
      .addColumn("expires_at", "bigint")
      .addColumn("last_used_at", "bigint")
      .addColumn("created_at", "bigint", (c) => c.notNull())
      // Of the membership itself: however somebody leaves the organization, no token of theirs stays.
      .addForeignKeyConstraint(
        "management_tokens_member",
        ["organization_id", "user_id"],
        "organization_members",
        ["organization_id", "user_id"],
        (key) => key.onDelete("cascade"),
      )
      .execute();
    await index(db, "management_tokens", "organization_id", "user_id");
    await index(db, "management_tokens", "user_id");
    await db.schema
      .alterTable("organizations")
      .addColumn("allowed_ips", "text", (c) => c.notNull().defaultTo("[]"))
      .execute();
  },
};
