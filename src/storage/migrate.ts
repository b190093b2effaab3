import { type Kysely, sql } from "kysely";
import { DEFAULT_MIGRATION_TABLE, type MigrationProvider, Migrator } from "kysely/migration";
import { GatewayError } from "../contract/errors.ts";
import type { Backend } from "./backend.ts";
import { columnsFor } from "./migrations/columns.ts";
import type { Migration } from "./migrations/migration.ts";

/**
 * Applies what is missing and returns its names. All steps and their records are one transaction,
 * so a process that is killed half-way leaves nothing behind that the next start would trip over.
 */
export function migrateUp(backend: Backend, migrations: readonly Migration[]): Promise<readonly string[]> {
  return backend.withoutTimeLimit(async (db) => {
    if (await isUpToDate(db, migrations)) return [];
    const { error, results = [] } = await migrator(db, backend.kind, migrations).migrateToLatest();
    if (error !== undefined) throw error;
    return results.map((result) => result.migrationName);
  });
}

export async function listPending(backend: Backend, migrations: readonly Migration[]): Promise<readonly string[]> {
  const known = await migrator(backend.db.withoutPlugins(), backend.kind, migrations).getMigrations();
  return known.filter((migration) => migration.executedAt === undefined).map((migration) => migration.name);
}

/**
 * Whether the records name exactly the migrations of this program: one query, where the migrator looks at every table of the
 * database four times over. Whatever else is found is its business, and so is a database without records.
 */
async function isUpToDate(db: Kysely<unknown>, migrations: readonly Migration[]): Promise<boolean> {
  try {
    const { rows } = await sql<{
      name: string;
    }>`select name from ${sql.table(DEFAULT_MIGRATION_TABLE)} order by name`.execute(db);
    return rows.length === migrations.length && rows.every(({ name }, index) => name === migrations[index]?.name);
  } catch (thrown) {
    if (thrown instanceof GatewayError && thrown.kind === "database") throw thrown;
    return false;
  }
}

function migrator<T>(db: Kysely<T>, kind: Backend["kind"], migrations: readonly Migration[]): Migrator {
  const columns = columnsFor(kind);
  const provider: MigrationProvider = {
    async getMigrations() {
      return Object.fromEntries(
        migrations.map(({ name, up }) => [name, { up: (transaction: Kysely<unknown>) => up(transaction, columns) }]),
      );
    },
  };
  return new Migrator({ db, provider });
}
