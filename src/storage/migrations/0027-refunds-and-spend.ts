import { type Kysely, sql } from "kysely";
import { index } from "./constraints.ts";
import type { Migration } from "./migration.ts";

/** Refunds that failed, how much disputes are about, and what was spent by calls that are no longer in the log. */
export const refundsAndSpend: Migration = {
  name: "0027-refunds-and-spend",
  async up(db) {
    await createFailedRefunds(db);
    // Those of before are taken to be about what was taken for them.
    await db.schema
      .alterTable("disputes")
      .addColumn("asked", "bigint", (c) => c.notNull().defaultTo(0))
      .execute();
    await sql`update disputes set asked = amount`.execute(db);
    await createRemovedSpend(db);
  },
};

async function createFailedRefunds(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("failed_refunds")
    .addColumn("provider", "text", (c) => c.notNull())
    .addColumn("id", "text", (c) => c.notNull())
    .addColumn("purchase_id", "text", (c) => c.notNull())
    .addColumn("amount", "bigint", (c) => c.notNull())
    .addColumn("failed_at", "bigint", (c) => c.notNull())
    .addPrimaryKeyConstraint("failed_refunds_pk", ["provider", "id"])
    .execute();
  await index(db, "failed_refunds", "purchase_id");
}

async function createRemovedSpend(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("removed_spend")
    .addColumn("spender", "text", (c) => c.notNull())
    .addColumn("name", "text", (c) => c.notNull())
    .addColumn("at", "bigint", (c) => c.notNull())
    .addColumn("cost", "bigint", (c) => c.notNull())
    .addPrimaryKeyConstraint("removed_spend_pk", ["spender", "name", "at"])
    .execute();
  await index(db, "removed_spend", "at");
}
