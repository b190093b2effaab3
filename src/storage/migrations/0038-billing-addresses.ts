import { sql } from "kysely";
import type { Migration } from "./migration.ts";

/**
 * When the reader of a billing address confirmed it. Older addresses receive email already, so they count as confirmed.
 */
export const billingAddresses: Migration = {
  name: "0038-billing-addresses",
  async up(db) {
    await db.schema.alterTable("organizations").addColumn("billing_email_verified_at", "bigint").execute();
    await sql`
      update organizations set billing_email_verified_at = updated_at where billing_email is not null`.execute(db);
  },
};
