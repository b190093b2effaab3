import { type Kysely, sql } from "kysely";
import type { Migration } from "./migration.ts";

const LIMITED = [
  "organizations",
  "teams",
  "team_members",
  "users",
  "api_keys",
  "budgets",
  "end_users",
  "connect_grants",
];

/** Budgets of any length, further budgets next to the main one, defaults for the members of a team, models of teams. */
export const budgets: Migration = {
  name: "0040-budgets",
  async up(db) {
    for (const table of LIMITED) await allowAnyLength(db, table);
    for (const table of ["teams", "users", "api_keys", "budgets"]) {
      await db.schema
        .alterTable(table)
        .addColumn("further_budgets", "text", (c) => c.notNull().defaultTo("[]"))
        .execute();
    }
    await db.schema
      .alterTable("teams")
      .addColumn("model_limits", "text", (c) => c.notNull().defaultTo("{}"))
      .execute();
    await db.schema.alterTable("teams").addColumn("member_budget", "bigint").execute();
    await db.schema
      .alterTable("teams")
      .addColumn("member_budget_window", "text", (c) => c.check(isWindow("member_budget_window")))
      .execute();
    await db.schema.alterTable("teams").addColumn("member_rpm_limit", "integer").execute();
    await db.schema.alterTable("teams").addColumn("member_tpm_limit", "integer").execute();
    await db.schema.alterTable("budget_spend").addColumn("model", "text").execute();
  },
};

/** SQLite drops the check of a column only with the column. */
async function allowAnyLength(db: Kysely<unknown>, table: string): Promise<void> {
  const alter = () => db.schema.alterTable(table);
  await alter()
    .addColumn("budget_period", "text", (c) => c.check(isWindow("budget_period")))
    .execute();
  await sql`update ${sql.table(table)} set budget_period = budget_window where budget_window is not null`.execute(db);
  await alter().dropColumn("budget_window").execute();
  await alter().renameColumn("budget_period", "budget_window").execute();
}

const NAMES = ["hour", "day", "week", "month", "total"];
const UNITS = ["s", "m", "h", "d", "w", "mo"];

const isWindow = (column: string) => {
  const isNamed = sql`${sql.ref(column)} in (${sql.join(NAMES.map((name) => sql.lit(name)))})`;
  const lengths = UNITS.map((unit) => sql`${sql.ref(column)} like ${sql.lit(`%${unit}`)}`);
  return sql<boolean>`${sql.join([...lengths, isNamed], sql` or `)}`;
};
