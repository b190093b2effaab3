import type { Migration } from "./migration.ts";

/** Who makes a call that is running: only that one may end it. */
export const idempotencyOwner: Migration = {
  name: "0028-idempotency-owner",
  async up(db) {
    await db.schema.alterTable("idempotency").addColumn("owner", "text").execute();
  },
};
