import { sql } from "kysely";
import { index, oneOf } from "./constraints.ts";
import type { Migration } from "./migration.ts";

/** Those whom organizations make calls for and have limits for; and their calls, found by whom they were for. */
export const endUsers: Migration = {
  name: "0036-end-users",
  formerName: "0038-end-users",
  async up(db) {
    await db.schema
      .createTable("end_users")
      .addColumn("organization_id", "text", (c) => c.notNull().references("organizations.id").onDelete("cascade"))
      .addColumn("id", "text", (c) => c.notNull())
      .addColumn("alias", "text")
      .addColumn("blocked", "boolean", (c) => c.notNull())
      .addColumn("budget", "bigint")
      .addColumn("soft_budget", "bigint")
      .addColumn("budget_window", "text", (c) =>
        c.check(oneOf("budget_window", ["hour", "day", "week", "month", "total"])),
      )
      .addColumn("rpm_limit", "integer")
      .addColumn("tpm_limit", "integer")
      .addColumn("parallel_limit", "integer")
      .addColumn("budget_id", "text", (c) => c.references("budgets.id").onDelete("set null"))
      .addColumn("created_at", "bigint", (c) => c.notNull())
      .addColumn("updated_at", "bigint", (c) => c.notNull())
      .addPrimaryKeyConstraint("end_users_pk", ["organization_id", "id"])
      .execute();
    await index(db, "end_users", "budget_id");
    // Only of calls that name somebody: those that do not cost nothing by it.
    await db.schema
      .createIndex("usage_log_end_user")
      .on("usage_log")
      .columns(["organization_id", "end_user", "at"])
      .where(sql.ref("end_user"), "is not", null)
      .execute();
  },
};
