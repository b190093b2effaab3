import { index, oneOf } from "./constraints.ts";
import type { Migration } from "./migration.ts";

/** Models and the credentials of providers that operators keep here rather than in the configuration file. */
export const models: Migration = {
  name: "0005-models",
  async up(db) {
    await db.schema
      .createTable("deployments")
      .addColumn("id", "text", (c) => c.primaryKey().notNull())
      .addColumn("group_name", "text", (c) => c.notNull())
      .addColumn("provider", "text", (c) => c.notNull())
      .addColumn("params", "text", (c) => c.notNull())
      .addColumn("info", "text", (c) => c.notNull())
      .addColumn("sealed", "text", (c) => c.notNull())
      .addColumn("status", "text", (c) => c.notNull().check(oneOf("status", ["enabled", "disabled"])))
      .addColumn("created_by", "integer", (c) => c.references("users.id").onDelete("set null"))
      .addColumn("created_at", "bigint", (c) => c.notNull())
      .addColumn("updated_at", "bigint", (c) => c.notNull())
      .execute();
    await index(db, "deployments", "created_by");

    await db.schema
      .createTable("credentials")
      .addColumn("id", "text", (c) => c.primaryKey().notNull())
      .addColumn("name", "text", (c) => c.notNull().unique())
      .addColumn("provider", "text")
      .addColumn("sealed", "text", (c) => c.notNull())
      .addColumn("created_by", "integer", (c) => c.references("users.id").onDelete("set null"))
      .addColumn("created_at", "bigint", (c) => c.notNull())
      .addColumn("updated_at", "bigint", (c) => c.notNull())
      .execute();
    await index(db, "credentials", "created_by");
  },
};
