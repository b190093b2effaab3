import { type Kysely, sql } from "kysely";
import { index, oneOf } from "./constraints.ts";
import type { Migration } from "./migration.ts";

const MODES = ["test", "live"];

/**
 * Buying credits and what goes with it. Without foreign keys to organizations and people: what was paid stays on record
 * when they are gone.
 */
export const billing: Migration = {
  name: "0008-billing",
  async up(db) {
    await createPurchases(db);
    await createPaymentEvents(db);
    await createVouchers(db);
    await createAutoTopUp(db);
    await createNotices(db);
  },
};

async function createPurchases(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("purchases")
    .addColumn("id", "text", (c) => c.primaryKey().notNull())
    .addColumn("organization_id", "text", (c) => c.notNull())
    .addColumn("user_id", "integer")
    .addColumn("kind", "text", (c) => c.notNull().check(oneOf("kind", ["checkout", "auto_top_up"])))
    .addColumn("amount", "bigint", (c) => c.notNull())
    .addColumn("total_cents", "integer", (c) => c.notNull())
    .addColumn("currency", "text", (c) => c.notNull())
    .addColumn("status", "text", (c) =>
      c.notNull().check(oneOf("status", ["pending", "paid", "failed", "expired", "refunded"])),
    )
    .addColumn("provider", "text", (c) => c.notNull())
    .addColumn("mode", "text", (c) => c.notNull().check(oneOf("mode", MODES)))
    .addColumn("provider_ref", "text")
    .addColumn("payment_ref", "text")
    .addColumn("checkout_url", "text")
    .addColumn("refunded", "bigint", (c) => c.notNull())
    .addColumn("disputed", "bigint", (c) => c.notNull())
    .addColumn("failure", "text")
    .addColumn("created_at", "bigint", (c) => c.notNull())
    .addColumn("updated_at", "bigint", (c) => c.notNull())
    .addColumn("expires_at", "bigint", (c) => c.notNull())
    .addColumn("paid_at", "bigint")
    .execute();
  await index(db, "purchases", "organization_id", "created_at");
  await index(db, "purchases", "payment_ref");
  await index(db, "purchases", "status", "created_at");

  await db.schema
    .createTable("disputes")
    .addColumn("provider", "text", (c) => c.notNull())
    .addColumn("id", "text", (c) => c.notNull())
    .addColumn("purchase_id", "text", (c) => c.notNull())
    .addColumn("organization_id", "text", (c) => c.notNull())
    .addColumn("amount", "bigint", (c) => c.notNull())
    .addColumn("status", "text", (c) => c.notNull().check(oneOf("status", ["open", "won", "lost"])))
    .addColumn("created_at", "bigint", (c) => c.notNull())
    .addColumn("closed_at", "bigint")
    .addPrimaryKeyConstraint("disputes_pk", ["provider", "id"])
    .execute();
  await index(db, "disputes", "purchase_id");
}

async function createPaymentEvents(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("webhook_events")
    .addColumn("provider", "text", (c) => c.notNull())
    .addColumn("id", "text", (c) => c.notNull())
    .addColumn("type", "text", (c) => c.notNull())
    .addColumn("status", "text", (c) =>
      c.notNull().check(oneOf("status", ["received", "done", "ignored", "failed", "parked"])),
    )
    .addColumn("purchase_id", "text")
    .addColumn("event", "text", (c) => c.notNull())
    .addColumn("attempts", "integer", (c) => c.notNull())
    .addColumn("error", "text")
    .addColumn("first_seen_at", "bigint", (c) => c.notNull())
    .addColumn("updated_at", "bigint", (c) => c.notNull())
    .addPrimaryKeyConstraint("webhook_events_pk", ["provider", "id"])
    .execute();
  await index(db, "webhook_events", "status", "updated_at");
}

async function createVouchers(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("vouchers")
    .addColumn("id", "text", (c) => c.primaryKey().notNull())
    .addColumn("hash", "text", (c) => c.notNull().unique())
    .addColumn("last4", "text", (c) => c.notNull())
    .addColumn("amount", "bigint", (c) => c.notNull())
    .addColumn("note", "text")
    .addColumn("expires_at", "bigint")
    .addColumn("created_by", "integer")
    .addColumn("created_at", "bigint", (c) => c.notNull())
    .addColumn("revoked_at", "bigint")
    .addColumn("redeemed_at", "bigint")
    .addColumn("redeemed_by", "integer")
    .addColumn("organization_id", "text")
    .execute();
  await index(db, "vouchers", "created_at");
}

async function createAutoTopUp(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("payment_methods")
    .addColumn("id", "text", (c) => c.primaryKey().notNull())
    .addColumn("organization_id", "text", (c) => c.notNull())
    .addColumn("provider", "text", (c) => c.notNull())
    .addColumn("mode", "text", (c) => c.notNull().check(oneOf("mode", MODES)))
    .addColumn("status", "text", (c) => c.notNull().check(oneOf("status", ["pending", "active", "removed"])))
    .addColumn("customer_ref", "text")
    .addColumn("method_ref", "text")
    .addColumn("label", "text")
    .addColumn("created_by", "integer")
    .addColumn("created_at", "bigint", (c) => c.notNull())
    .addColumn("updated_at", "bigint", (c) => c.notNull())
    .execute();
  await index(db, "payment_methods", "organization_id", "created_at");
  await onlyOne(db, "payment_methods", "active");

  await db.schema
    .createTable("auto_top_ups")
    .addColumn("organization_id", "text", (c) => c.primaryKey().notNull())
    .addColumn("status", "text", (c) => c.notNull().check(oneOf("status", ["on", "off"])))
    .addColumn("threshold", "bigint", (c) => c.notNull())
    .addColumn("amount", "bigint", (c) => c.notNull())
    .addColumn("monthly_cap", "bigint")
    .addColumn("declines", "integer", (c) => c.notNull())
    .addColumn("epoch", "integer", (c) => c.notNull())
    .addColumn("retry_at", "bigint")
    .addColumn("updated_at", "bigint", (c) => c.notNull())
    .execute();
  await index(db, "auto_top_ups", "status");

  await db.schema
    .createTable("top_up_attempts")
    .addColumn("purchase_id", "text", (c) => c.primaryKey().notNull())
    .addColumn("organization_id", "text", (c) => c.notNull())
    .addColumn("epoch", "integer", (c) => c.notNull())
    .addColumn("amount", "bigint", (c) => c.notNull())
    .addColumn("status", "text", (c) => c.notNull().check(oneOf("status", ["open", "paid", "declined"])))
    .addColumn("error", "text")
    .addColumn("created_at", "bigint", (c) => c.notNull())
    .addColumn("ended_at", "bigint")
    .addUniqueConstraint("top_up_attempts_organization_id_epoch", ["organization_id", "epoch"])
    .execute();
  await index(db, "top_up_attempts", "organization_id", "created_at");
  await onlyOne(db, "top_up_attempts", "open");
}

async function createNotices(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("balance_alerts")
    .addColumn("organization_id", "text", (c) => c.notNull())
    .addColumn("threshold", "bigint", (c) => c.notNull())
    .addColumn("fired_at", "bigint")
    .addPrimaryKeyConstraint("balance_alerts_pk", ["organization_id", "threshold"])
    .execute();

  await db.schema
    .createTable("webhook_endpoints")
    .addColumn("id", "text", (c) => c.primaryKey().notNull())
    .addColumn("organization_id", "text", (c) => c.notNull())
    .addColumn("url", "text", (c) => c.notNull())
    .addColumn("description", "text")
    .addColumn("events", "text", (c) => c.notNull())
    .addColumn("status", "text", (c) => c.notNull().check(oneOf("status", ["active", "disabled"])))
    .addColumn("secret_version", "integer", (c) => c.notNull())
    .addColumn("created_by", "integer")
    .addColumn("created_at", "bigint", (c) => c.notNull())
    .addColumn("updated_at", "bigint", (c) => c.notNull())
    .execute();
  await index(db, "webhook_endpoints", "organization_id", "created_at");

  await db.schema
    .createTable("webhook_deliveries")
    .addColumn("id", "text", (c) => c.primaryKey().notNull())
    .addColumn("endpoint_id", "text", (c) => c.notNull().references("webhook_endpoints.id").onDelete("cascade"))
    .addColumn("organization_id", "text", (c) => c.notNull())
    .addColumn("event_id", "text", (c) => c.notNull())
    .addColumn("type", "text", (c) => c.notNull())
    .addColumn("payload", "text", (c) => c.notNull())
    .addColumn("status", "text", (c) => c.notNull().check(oneOf("status", ["pending", "delivered", "failed"])))
    .addColumn("attempts", "integer", (c) => c.notNull())
    .addColumn("response_status", "integer")
    .addColumn("error", "text")
    .addColumn("created_at", "bigint", (c) => c.notNull())
    .addColumn("updated_at", "bigint", (c) => c.notNull())
    .execute();
  await index(db, "webhook_deliveries", "endpoint_id", "created_at");
}

/** At most one row of an organization has this status, whoever races to write it. */
async function onlyOne(db: Kysely<unknown>, table: string, status: string): Promise<void> {
  await db.schema
    .createIndex(`${table}_one_${status}`)
    .unique()
    .on(table)
    .column("organization_id")
    .where(sql.ref("status"), "=", sql.lit(status))
    .execute();
}
