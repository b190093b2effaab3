import type { Migration } from "./migration.ts";

/** The time zones that organizations had before: the borders of months that passed in one stay where they were. */
export const organizationZones: Migration = {
  name: "0032-organization-zones",
  async up(db) {
    await db.schema
      .createTable("organization_zones")
      .addColumn("organization_id", "text", (c) => c.notNull().references("organizations.id").onDelete("cascade"))
      .addColumn("timezone", "text", (c) => c.notNull())
      .addColumn("ended_at", "bigint", (c) => c.notNull())
      .addPrimaryKeyConstraint("organization_zones_pk", ["organization_id", "ended_at"])
      .execute();
  },
};
