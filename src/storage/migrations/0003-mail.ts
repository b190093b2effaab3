import type { Kysely } from "kysely";
import { index, oneOf } from "./constraints.ts";
import type { Migration } from "./migration.ts";

/** What is sent to people, and what their links are good for: the outbox, invitations, and links of accounts. */
export const mail: Migration = {
  name: "0003-mail",
  async up(db) {
    await createOutbox(db);
    await createInvitations(db);
    await createLinkTokens(db);
    await db.schema.alterTable("users").addColumn("email_verified_at", "bigint").execute();
  },
};

async function createOutbox(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("outbox")
    .addColumn("id", "text", (c) => c.primaryKey().notNull())
    .addColumn("topic", "text", (c) => c.notNull())
    .addColumn("payload", "text", (c) => c.notNull())
    .addColumn("attempts", "integer", (c) => c.notNull())
    // Null once there is nothing left to do, so that the index has only what is waiting.
    .addColumn("due_at", "bigint")
    .addColumn("created_at", "bigint", (c) => c.notNull())
    .addColumn("sent_at", "bigint")
    .addColumn("failed_at", "bigint")
    .addColumn("last_error", "text")
    .execute();
  await index(db, "outbox", "due_at");
  await index(db, "outbox", "created_at");
}

async function createInvitations(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("invitations")
    .addColumn("id", "text", (c) => c.primaryKey().notNull())
    .addColumn("organization_id", "text", (c) => c.notNull().references("organizations.id").onDelete("cascade"))
    .addColumn("team_id", "text", (c) => c.notNull().references("teams.id").onDelete("cascade"))
    .addColumn("email", "text", (c) => c.notNull())
    .addColumn("role", "text", (c) => c.notNull().check(oneOf("role", ["admin", "member", "viewer"])))
    .addColumn("token_hash", "text", (c) => c.unique())
    .addColumn("status", "text", (c) => c.notNull().check(oneOf("status", ["pending", "accepted", "revoked"])))
    .addColumn("invited_by", "integer", (c) => c.references("users.id").onDelete("set null"))
    .addColumn("mailed_at", "bigint")
    .addColumn("expires_at", "bigint", (c) => c.notNull())
    .addColumn("accepted_at", "bigint")
    .addColumn("accepted_by", "integer", (c) => c.references("users.id").onDelete("set null"))
    .addColumn("created_at", "bigint", (c) => c.notNull())
    .addColumn("updated_at", "bigint", (c) => c.notNull())
    .execute();
  await index(db, "invitations", "organization_id", "created_at");
  await index(db, "invitations", "team_id", "email");
  await index(db, "invitations", "invited_by");
  await index(db, "invitations", "accepted_by");
}

async function createLinkTokens(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("link_tokens")
    .addColumn("id", "text", (c) => c.primaryKey().notNull())
    .addColumn("user_id", "integer", (c) => c.notNull().references("users.id").onDelete("cascade"))
    .addColumn("purpose", "text", (c) => c.notNull().check(oneOf("purpose", ["password_reset", "verify_email"])))
    // The address that the link stands for: it is worth nothing once the person has another.
    .addColumn("email", "text", (c) => c.notNull())
    .addColumn("token_hash", "text", (c) => c.notNull().unique())
    .addColumn("expires_at", "bigint", (c) => c.notNull())
    .addColumn("created_at", "bigint", (c) => c.notNull())
    .addUniqueConstraint("link_tokens_user_id_purpose", ["user_id", "purpose"])
    .execute();
}
