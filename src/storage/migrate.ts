import { type Kysely, sql } from "kysely";
import { DEFAULT_MIGRATION_TABLE, type MigrationProvider, Migrator } from "kysely/migration";
import { isDatabaseAway } from "../contract/database-away.ts";
import type { Backend } from "./backend.ts";
import { columnsFor } from "./migrations/columns.ts";
import type { Migration } from "./migrations/migration.ts";

/**
 * Applies what is missing and returns its names. All steps and their records are one transaction,
 * so a process that is killed half-way leaves nothing behind that the next start would trip over.
 */
export function migrateUp(backend: Backend, migrations: readonly Migration[]): Promise<readonly string[]> {
  return backend.withoutTimeLimit(async (db) => {
    const applied = await findApplied(db, migrations);
    if (pendingOf(migrations, applied).length === 0) return [];
    const { error, results = [] } = await migrator(db, backend.kind, migrations, applied).migrateToLatest();
    if (error !== undefined) throw error;
    return results.map((result) => result.migrationName);
  });
}

export async function listPending(backend: Backend, migrations: readonly Migration[]): Promise<readonly string[]> {
  return pendingOf(migrations, await findApplied(backend.db.withoutPlugins(), migrations));
}

/** The database has tables of a version that this one does not know: who writes beside them would damage what they hold. */
export class LaterDatabaseError extends Error {
  override readonly name = "LaterDatabaseError";

  constructor(readonly unknown: readonly string[]) {
    super(
      `The database was brought to a later version of Turnpike: this one does not know ${unknown.join(", ")}. ` +
        "Nothing was changed. Start the later version, or put back a backup from before the upgrade.",
    );
  }
}

const pendingOf = (migrations: readonly Migration[], applied: ReadonlySet<string>): readonly string[] =>
  migrations.map((migration) => nameIn(applied, migration)).filter((name) => !applied.has(name));

/** What a database has on record of a migration that had another name when it ran. */
const nameIn = (applied: ReadonlySet<string>, { name, formerName }: Migration): string =>
  formerName !== undefined && applied.has(formerName) ? formerName : name;

/**
 * The names on record: one query, where the migrator looks at every table of the database four times over. None where there is
 * no record yet, which the migrator makes.
 */
async function findApplied<T>(db: Kysely<T>, migrations: readonly Migration[]): Promise<ReadonlySet<string>> {
  const applied = new Set(await listApplied(db));
  const known = new Set(migrations.map((migration) => nameIn(applied, migration)));
  const unknown = [...applied].filter((name) => !known.has(name));
  if (unknown.length > 0) throw new LaterDatabaseError(unknown);
  return applied;
}

async function listApplied<T>(db: Kysely<T>): Promise<readonly string[]> {
  try {
    const { rows } = await sql<{
      name: string;
    }>`select name from ${sql.table(DEFAULT_MIGRATION_TABLE)} order by name`.execute(db);
    return rows.map(({ name }) => name);
  } catch (thrown) {
    if (isDatabaseAway(thrown)) throw thrown;
    return [];
  }
}

function migrator(
  db: Kysely<unknown>,
  kind: Backend["kind"],
  migrations: readonly Migration[],
  applied: ReadonlySet<string>,
): Migrator {
  const columns = columnsFor(kind);
  const provider: MigrationProvider = {
    async getMigrations() {
      return Object.fromEntries(
        migrations.map((migration) => [
          nameIn(applied, migration),
          { up: (transaction: Kysely<unknown>) => migration.up(transaction, columns) },
        ]),
      );
    },
  };
  return new Migrator({ db, provider, allowUnorderedMigrations: mayBeUnordered(migrations, applied) });
}

/**
 * One that ran under its former name has steps before it now that came later, and so have those that were in use before all steps of
 * lower numbers were there. Everywhere else the order is checked.
 */
function mayBeUnordered(migrations: readonly Migration[], applied: ReadonlySet<string>): boolean {
  if (migrations.some((migration) => nameIn(applied, migration) !== migration.name)) return true;
  const late = migrations.filter(({ name }) => !applied.has(name) && [...applied].some((done) => done > name));
  return late.every(({ anyOrder }) => anyOrder);
}
