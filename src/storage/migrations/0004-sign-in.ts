import type { Kysely } from "kysely";
import { index, oneOf } from "./constraints.ts";
import type { Migration } from "./migration.ts";

/** Ways to prove who one is beside a password: second factors, single sign-on, and programs that a person lets in. */
export const signIn: Migration = {
  name: "0004-sign-in",
  async up(db) {
    await createSecondFactors(db);
    await createIdentities(db);
    await createDeviceLogins(db);
  },
};

async function createSecondFactors(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("two_factors")
    .addColumn("user_id", "integer", (c) => c.primaryKey().notNull().references("users.id").onDelete("cascade"))
    .addColumn("secret", "text", (c) => c.notNull())
    .addColumn("confirmed_at", "bigint")
    .addColumn("last_step", "integer")
    .addColumn("created_at", "bigint", (c) => c.notNull())
    .execute();

  await db.schema
    .createTable("recovery_codes")
    .addColumn("id", "text", (c) => c.primaryKey().notNull())
    .addColumn("user_id", "integer", (c) => c.notNull().references("users.id").onDelete("cascade"))
    .addColumn("hash", "text", (c) => c.notNull().unique())
    .addColumn("used_at", "bigint")
    .execute();
  await index(db, "recovery_codes", "user_id");
}

async function createIdentities(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("user_identities")
    .addColumn("id", "text", (c) => c.primaryKey().notNull())
    .addColumn("issuer", "text", (c) => c.notNull())
    .addColumn("subject", "text", (c) => c.notNull())
    .addColumn("user_id", "integer", (c) => c.notNull().references("users.id").onDelete("cascade"))
    .addColumn("email", "text", (c) => c.notNull())
    .addColumn("created_at", "bigint", (c) => c.notNull())
    .addColumn("last_login_at", "bigint", (c) => c.notNull())
    .addUniqueConstraint("user_identities_issuer_subject", ["issuer", "subject"])
    .execute();
  await index(db, "user_identities", "user_id");
}

async function createDeviceLogins(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("device_logins")
    .addColumn("id", "text", (c) => c.primaryKey().notNull())
    .addColumn("device_hash", "text", (c) => c.notNull().unique())
    .addColumn("user_code_hash", "text", (c) => c.notNull().unique())
    .addColumn("status", "text", (c) => c.notNull().check(oneOf("status", ["pending", "approved", "denied", "used"])))
    .addColumn("user_id", "integer", (c) => c.references("users.id").onDelete("cascade"))
    .addColumn("user_agent", "text", (c) => c.notNull())
    .addColumn("address", "text")
    .addColumn("interval_seconds", "integer", (c) => c.notNull())
    .addColumn("last_polled_at", "bigint")
    .addColumn("created_at", "bigint", (c) => c.notNull())
    .addColumn("expires_at", "bigint", (c) => c.notNull())
    .execute();
  await index(db, "device_logins", "user_id");
  await index(db, "device_logins", "address", "expires_at");
  await index(db, "device_logins", "expires_at");
}
