import type { Migration } from "./migration.ts";

/** What operators set about deployments at run time, of the configuration file or stored: on, off, weight, rest. */
export const deploymentSwitches: Migration = {
  name: "0012-deployment-switches",
  async up(db) {
    await db.schema
      .createTable("deployment_switches")
      .addColumn("deployment_id", "text", (c) => c.primaryKey().notNull())
      .addColumn("enabled", "boolean", (c) => c.notNull())
      .addColumn("weight_milli", "integer")
      .addColumn("rest_until", "bigint")
      .addColumn("cleared_at", "bigint")
      .addColumn("updated_at", "bigint", (c) => c.notNull())
      .execute();
  },
};
