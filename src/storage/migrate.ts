import type { Kysely } from "kysely";
import { type MigrationProvider, Migrator } from "kysely/migration";
import type { Backend } from "./backend.ts";
import { columnsFor } from "./migrations/columns.ts";
import type { Migration } from "./migrations/migration.ts";

/**
 * Applies what is missing and returns its names. All steps and their records are one transaction,
 * so a process that is killed half-way leaves nothing behind that the next start would trip over.
 */
export function migrateUp(backend: Backend, migrations: readonly Migration[]): Promise<readonly string[]> {
  return backend.withoutTimeLimit(async (db) => {
    const { error, results = [] } = await migrator(db, backend.kind, migrations).migrateToLatest();
    if (error !== undefined) throw error;
    return results.map((result) => result.migrationName);
  });
}

export async function listPending(backend: Backend, migrations: readonly Migration[]): Promise<readonly string[]> {
  const known = await migrator(backend.db.withoutPlugins(), backend.kind, migrations).getMigrations();
  return known.filter((migration) => migration.executedAt === undefined).map((migration) => migration.name);
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
