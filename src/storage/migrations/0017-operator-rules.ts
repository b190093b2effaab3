import { index } from "./constraints.ts";
import type { Migration } from "./migration.ts";

/** Guardrails, aliases, fallbacks and the mark-up that operators set at run time, beside or in place of the file's. */
export const operatorRules: Migration = {
  name: "0017-operator-rules",
  async up(db) {
    await db.schema
      .createTable("operator_rules")
      .addColumn("kind", "text", (c) => c.notNull())
      .addColumn("name", "text", (c) => c.notNull())
      .addColumn("value", "text", (c) => c.notNull())
      .addColumn("created_by", "integer", (c) => c.references("users.id").onDelete("set null"))
      .addColumn("created_at", "bigint", (c) => c.notNull())
      .addColumn("updated_at", "bigint", (c) => c.notNull())
      .addPrimaryKeyConstraint("operator_rules_once", ["kind", "name"])
      .execute();
    await index(db, "operator_rules", "created_by");
  },
};
