import { type Kysely, sql } from "kysely";
import type { Columns } from "./columns.ts";
import { index, oneOf } from "./constraints.ts";
import type { Migration } from "./migration.ts";

const ACCOUNT_KINDS = ["wallet", "revenue", "cash", "grants", "adjustments"];
const ENTRY_KINDS = ["topup", "grant", "usage", "refund", "dispute", "adjustment", "expiry", "voucher"];

/** The books: accounts, entries and their postings; and what processes have leased and budgets have spent. */
export const ledger: Migration = {
  name: "0006-ledger",
  async up(db, columns) {
    await createLedger(db);
    await createLeases(db);
    for (const table of ["ledger_entries", "ledger_postings"]) await forbidChanges(db, columns, table);
  },
};

/** Without foreign keys to organizations: what was paid stays on record when they are gone. */
async function createLedger(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("ledger_accounts")
    .addColumn("id", "text", (c) => c.primaryKey().notNull())
    .addColumn("organization_id", "text")
    .addColumn("kind", "text", (c) => c.notNull().check(oneOf("kind", ACCOUNT_KINDS)))
    .addColumn("balance", "bigint", (c) => c.notNull())
    .addColumn("updated_at", "bigint", (c) => c.notNull())
    .execute();

  await db.schema
    .createTable("ledger_entries")
    .addColumn("id", "text", (c) => c.primaryKey().notNull())
    .addColumn("key", "text", (c) => c.notNull().unique())
    .addColumn("kind", "text", (c) => c.notNull().check(oneOf("kind", ENTRY_KINDS)))
    .addColumn("at", "bigint", (c) => c.notNull())
    .addColumn("organization_id", "text")
    .addColumn("actor", "text", (c) => c.notNull())
    .addColumn("reason", "text", (c) => c.notNull())
    .addColumn("details", "text", (c) => c.notNull())
    .execute();
  await index(db, "ledger_entries", "organization_id", "id");

  await db.schema
    .createTable("ledger_postings")
    .addColumn("entry_id", "text", (c) => c.notNull().references("ledger_entries.id").onDelete("restrict"))
    .addColumn("account_id", "text", (c) => c.notNull().references("ledger_accounts.id").onDelete("restrict"))
    .addColumn("amount", "bigint", (c) => c.notNull().check(sql<boolean>`amount <> 0`))
    .addPrimaryKeyConstraint("ledger_postings_pk", ["entry_id", "account_id"])
    .execute();
  await index(db, "ledger_postings", "account_id", "entry_id");
}

async function createLeases(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("leases")
    .addColumn("pot", "text", (c) => c.notNull())
    .addColumn("owner", "text", (c) => c.notNull())
    .addColumn("amount", "bigint", (c) => c.notNull().check(sql<boolean>`amount >= 0`))
    .addColumn("wanted_at", "bigint")
    .addColumn("expires_at", "bigint", (c) => c.notNull())
    .addPrimaryKeyConstraint("leases_pk", ["pot", "owner"])
    .execute();
  await index(db, "leases", "owner");
  await index(db, "leases", "expires_at");

  await db.schema
    .createTable("budget_spend")
    .addColumn("pot", "text", (c) => c.primaryKey().notNull())
    .addColumn("organization_id", "text")
    .addColumn("spent", "bigint", (c) => c.notNull())
    .addColumn("updated_at", "bigint", (c) => c.notNull())
    .execute();
  await index(db, "budget_spend", "organization_id");
}

/** A correction is a new entry. Not even a program with a fault in it can change what was written. */
async function forbidChanges(db: Kysely<unknown>, { kind }: Columns, table: string): Promise<void> {
  for (const verb of ["update", "delete"]) {
    await sql.raw(kind === "sqlite" ? sqliteGuard(table, verb) : postgresGuard(table, verb)).execute(db);
  }
}

const sqliteGuard = (table: string, verb: string): string => `
  create trigger ${table}_no_${verb} before ${verb} on ${table}
  begin select raise(abort, '${table} is append-only'); end`;

const postgresGuard = (table: string, verb: string): string => `
  create or replace function refuse_change() returns trigger language plpgsql as
    $$ begin raise exception '% is append-only', tg_table_name; end $$;
  create trigger ${table}_no_${verb} before ${verb} on ${table} for each row execute function refuse_change()`;
