import type { Kysely } from "kysely";
import type { Columns } from "./columns.ts";
import { index, oneOf } from "./constraints.ts";
import type { Migration } from "./migration.ts";

const BUDGET_WINDOWS = ["hour", "day", "week", "month", "total"];

/** Who may call: users, their organizations and teams, keys and sessions; and what was changed about them. */
export const accounts: Migration = {
  name: "0001-accounts",
  async up(db, columns) {
    await createUsers(db, columns);
    await createOrganizations(db);
    await createTeams(db);
    await createApiKeys(db);
    await createSessions(db);
    await createAuditLog(db);
    await db.schema
      .createTable("settings")
      .addColumn("name", "text", (c) => c.primaryKey().notNull())
      .addColumn("value", "text", (c) => c.notNull())
      .execute();
  },
};

async function createUsers(db: Kysely<unknown>, { identity }: Columns): Promise<void> {
  await db.schema
    .createTable("users")
    .addColumn("id", "integer", (c) => identity(c).notNull())
    .addColumn("email", "text", (c) => c.notNull().unique())
    .addColumn("name", "text", (c) => c.notNull())
    .addColumn("role", "text", (c) => c.notNull().check(oneOf("role", ["user", "admin"])))
    .addColumn("status", "text", (c) => c.notNull().check(oneOf("status", ["active", "disabled"])))
    .addColumn("password_hash", "text")
    .addColumn("last_login_at", "bigint")
    .addColumn("created_at", "bigint", (c) => c.notNull())
    .addColumn("updated_at", "bigint", (c) => c.notNull())
    .execute();
}

async function createOrganizations(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("organizations")
    .addColumn("id", "text", (c) => c.primaryKey().notNull())
    .addColumn("name", "text", (c) => c.notNull())
    .addColumn("slug", "text", (c) => c.notNull().unique())
    .addColumn("owner_id", "integer", (c) => c.notNull().references("users.id").onDelete("restrict"))
    .addColumn("billing_email", "text")
    .addColumn("timezone", "text", (c) => c.notNull())
    .addColumn("data_retention_days", "integer")
    .addColumn("created_at", "bigint", (c) => c.notNull())
    .addColumn("updated_at", "bigint", (c) => c.notNull())
    .execute();
  await index(db, "organizations", "owner_id");

  await db.schema
    .createTable("organization_members")
    .addColumn("organization_id", "text", (c) => c.notNull().references("organizations.id").onDelete("cascade"))
    .addColumn("user_id", "integer", (c) => c.notNull().references("users.id").onDelete("cascade"))
    .addColumn("role", "text", (c) => c.notNull().check(oneOf("role", ["owner", "admin", "member", "viewer"])))
    .addColumn("joined_at", "bigint", (c) => c.notNull())
    .addPrimaryKeyConstraint("organization_members_pk", ["organization_id", "user_id"])
    .execute();
  await index(db, "organization_members", "user_id");
}

async function createTeams(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("teams")
    .addColumn("id", "text", (c) => c.primaryKey().notNull())
    .addColumn("organization_id", "text", (c) => c.notNull().references("organizations.id").onDelete("cascade"))
    .addColumn("name", "text", (c) => c.notNull())
    .addColumn("status", "text", (c) => c.notNull().check(oneOf("status", ["active", "blocked"])))
    .addColumn("blocked_reason", "text", (c) => c.check(oneOf("blocked_reason", ["balance", "admin"])))
    .addColumn("models", "text", (c) => c.notNull())
    .addColumn("created_at", "bigint", (c) => c.notNull())
    .addColumn("updated_at", "bigint", (c) => c.notNull())
    .addUniqueConstraint("teams_organization_id_name", ["organization_id", "name"])
    .execute();

  await db.schema
    .createTable("team_members")
    .addColumn("team_id", "text", (c) => c.notNull().references("teams.id").onDelete("cascade"))
    .addColumn("user_id", "integer", (c) => c.notNull().references("users.id").onDelete("cascade"))
    .addColumn("role", "text", (c) => c.notNull().check(oneOf("role", ["admin", "member"])))
    .addColumn("joined_at", "bigint", (c) => c.notNull())
    .addPrimaryKeyConstraint("team_members_pk", ["team_id", "user_id"])
    .execute();
  await index(db, "team_members", "user_id");
}

async function createApiKeys(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("api_keys")
    .addColumn("id", "text", (c) => c.primaryKey().notNull())
    .addColumn("team_id", "text", (c) => c.notNull().references("teams.id").onDelete("cascade"))
    .addColumn("name", "text", (c) => c.notNull())
    .addColumn("hash", "text", (c) => c.notNull().unique())
    .addColumn("previous_hash", "text", (c) => c.unique())
    .addColumn("previous_until", "bigint")
    .addColumn("handle", "text", (c) => c.notNull().unique())
    .addColumn("last4", "text", (c) => c.notNull())
    .addColumn("status", "text", (c) => c.notNull().check(oneOf("status", ["active", "disabled"])))
    .addColumn("models", "text", (c) => c.notNull())
    .addColumn("budget", "bigint")
    .addColumn("budget_window", "text", (c) => c.check(oneOf("budget_window", BUDGET_WINDOWS)))
    .addColumn("rpm_limit", "integer")
    .addColumn("tpm_limit", "integer")
    .addColumn("parallel_limit", "integer")
    .addColumn("allowed_ips", "text", (c) => c.notNull())
    .addColumn("tags", "text", (c) => c.notNull())
    .addColumn("metadata", "text", (c) => c.notNull())
    .addColumn("expires_at", "bigint")
    .addColumn("last_used_at", "bigint")
    // A key outlives the account of the one who made it: it belongs to the team.
    .addColumn("created_by", "integer", (c) => c.references("users.id").onDelete("set null"))
    .addColumn("created_at", "bigint", (c) => c.notNull())
    .addColumn("updated_at", "bigint", (c) => c.notNull())
    .execute();
  await index(db, "api_keys", "team_id", "created_at");
  await index(db, "api_keys", "created_by");
}

async function createSessions(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("sessions")
    .addColumn("id", "text", (c) => c.primaryKey().notNull())
    .addColumn("user_id", "integer", (c) => c.notNull().references("users.id").onDelete("cascade"))
    .addColumn("organization_id", "text", (c) => c.references("organizations.id").onDelete("set null"))
    .addColumn("user_agent", "text", (c) => c.notNull())
    .addColumn("address", "text")
    .addColumn("created_at", "bigint", (c) => c.notNull())
    .addColumn("last_seen_at", "bigint", (c) => c.notNull())
    .addColumn("expires_at", "bigint", (c) => c.notNull())
    .addColumn("revoked_at", "bigint")
    .execute();
  await index(db, "sessions", "user_id", "created_at");
  await index(db, "sessions", "organization_id");
}

/** Without foreign keys: what was done stays on record when the one who did it is gone. */
async function createAuditLog(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("audit_log")
    .addColumn("id", "text", (c) => c.primaryKey().notNull())
    .addColumn("at", "bigint", (c) => c.notNull())
    .addColumn("actor", "text", (c) => c.notNull().check(oneOf("actor", ["user", "master_key", "system"])))
    .addColumn("user_id", "integer")
    .addColumn("action", "text", (c) => c.notNull())
    .addColumn("organization_id", "text")
    .addColumn("target_type", "text", (c) => c.notNull())
    .addColumn("target_id", "text", (c) => c.notNull())
    .addColumn("details", "text", (c) => c.notNull())
    .addColumn("address", "text")
    .execute();
  await index(db, "audit_log", "organization_id", "at");
  await index(db, "audit_log", "user_id", "at");
  await index(db, "audit_log", "at");
}
