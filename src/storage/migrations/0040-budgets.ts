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

/** Budgets may last any length of time. */
export const budgets: Migration = {
  name: "0040-budgets",
  async up(db) {
    for (const table of LIMITED) await allowAnyLength(db, table);
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
  return sql<boolean>`${sql.join([isNamed, ...lengths], sql` or `)}`;
};
