import { CompiledQuery, type Kysely, sql } from "kysely";
import { isDatabaseAway } from "../../contract/database-away.ts";
import type { Backend } from "../backend.ts";
import { migrateUp } from "../migrate.ts";
import { migrations } from "../migrations/index.ts";
import { makeVectorTable } from "../postgres/vector-table.ts";
import { withoutForeignKeys } from "./foreign-keys.ts";
import { type Row, rowBatches } from "./row-batches.ts";
import { type CopiedTable, matched, postgresTables, sqliteTables } from "./tables.ts";

/** Why there is no copy, in words for whoever wanted it. Nothing is kept of one that was begun. */
export class CopyError extends Error {
  override readonly name = "CopyError";
}

/** How many rows there are, by table. */
export type RowCounts = ReadonlyMap<string, number>;

export interface CopyProgress {
  readonly table: string;
  readonly rows: number;
  readonly total: number;
}

/** The migrations put rows there, so that they say nothing; those of the source take their place. */
const SEEDED: ReadonlySet<string> = new Set(["audit_chain"]);

/** Throws where anything lies in the database that a copy would be mixed with. */
export async function requireEmpty(db: Kysely<unknown>): Promise<void> {
  const tables = (await postgresTables(db)).filter(({ name }) => !SEEDED.has(name));
  const filled: string[] = [];
  for (const { name } of tables) {
    const { rows } = await sql`select 1 from ${sql.table(name)} limit 1`.execute(db);
    if (rows.length > 0) filled.push(name);
  }
  if (filled.length === 0) return;
  const [named, more] = [filled.slice(0, 3).join(", "), filled.length - 3];
  throw new CopyError(
    `The database has rows already, in ${named}${more > 0 ? ` and ${more} more tables` : ""}. ` +
      "Nothing was changed. Name one that is empty, or make this one anew (DROP DATABASE, CREATE DATABASE) if nobody needs what is in it.",
  );
}

/** All rows of a SQLite database into an empty one of PostgreSQL, whose tables are made first: all of them or none. */
export async function copyDatabase(
  source: Backend,
  target: Backend,
  tell: (progress: CopyProgress) => void,
): Promise<RowCounts> {
  await migrateUp(target, migrations);
  await makeVectorTable(target);
  return target.withoutTimeLimit(async (db) => {
    const counts = await source.snapshot((from) =>
      db.transaction().execute((tx) => copyAll(from.withoutPlugins() as Kysely<unknown>, tx, tell)),
    );
    // Nothing is known of the new rows yet by what plans statements, and the checks that come next are of millions.
    await sql`analyze ${sql.join([...counts.keys()].map((name) => sql.table(name)))}`.execute(db);
    return counts;
  });
}

async function copyAll(
  from: Kysely<unknown>,
  tx: Kysely<unknown>,
  tell: (progress: CopyProgress) => void,
): Promise<RowCounts> {
  const tables = matched(await sqliteTables(from), await postgresTables(tx));
  const names = sql.join(tables.map(({ name }) => sql.table(name)));
  // A server that is started over it meanwhile waits, and finds an installation that has begun.
  await sql`lock table ${names} in access exclusive mode`.execute(tx);
  await requireEmpty(tx);
  const counts = await countRows(from, tables);
  const total = [...counts.values()].reduce((sum, rows) => sum + rows, 0);
  let copied = 0;
  await withoutForeignKeys(tx, async () => {
    for (const table of tables) {
      if (SEEDED.has(table.name)) await sql`delete from ${sql.table(table.name)}`.execute(tx);
      await inWords(table.name, async () => {
        for await (const rows of rowBatches(from, table)) {
          await insert(tx, table, rows);
          copied += rows.length;
          tell({ table: table.name, rows: copied, total });
        }
        await continueIdentity(from, tx, table);
      });
    }
  }).catch(asCopyError("What refers to other rows could not be copied"));
  const found = await countRows(tx, tables);
  for (const [name, rows] of counts) {
    if (found.get(name) !== rows) throw new CopyError(`${name} has ${rows} rows, and ${found.get(name)} were copied.`);
  }
  return counts;
}

async function countRows(db: Kysely<unknown>, tables: readonly CopiedTable[]): Promise<RowCounts> {
  const counts = new Map<string, number>();
  for (const { name } of tables) {
    const { rows } = await sql<{ rows: bigint }>`select count(*) as rows from ${sql.table(name)}`.execute(db);
    counts.set(name, Number(rows[0]?.rows ?? 0n));
  }
  return counts;
}

/** One array for each column, so that the text is the same for any number of rows. */
async function insert(tx: Kysely<unknown>, { name, columns }: CopiedTable, rows: readonly Row[]): Promise<void> {
  const names = columns.map((column) => `"${column.name}"`).join(", ");
  const arrays = columns.map(({ type }, index) => `$${index + 1}::${type}[]`).join(", ");
  const text = `insert into "${name}" (${names}) overriding system value select * from unnest(${arrays})`;
  await tx.executeQuery(
    CompiledQuery.raw(
      text,
      columns.map((column) => rows.map((row) => row[column.name])),
    ),
  );
}

/** After the last that was ever given out, whose row may be gone: nobody gets an id that another one had. */
async function continueIdentity(
  from: Kysely<unknown>,
  tx: Kysely<unknown>,
  { name, columns }: CopiedTable,
): Promise<void> {
  for (const { name: column } of columns.filter(({ isIdentity }) => isIdentity)) {
    const { rows } = await sql<{ seq: bigint }>`select seq from sqlite_sequence where name = ${name}`.execute(from);
    const last = rows[0]?.seq ?? 0n;
    if (last > 0n) await sql`select setval(pg_get_serial_sequence(${name}, ${column}), ${last})`.execute(tx);
  }
}

const inWords = <T>(table: string, work: () => Promise<T>): Promise<T> =>
  work().catch(asCopyError(`${table} could not be copied`));

/** A database that is away is told as everywhere. */
function asCopyError(what: string): (thrown: unknown) => never {
  return (thrown) => {
    if (thrown instanceof CopyError || isDatabaseAway(thrown)) throw thrown;
    const cause = thrown instanceof Error ? (thrown.cause ?? thrown) : thrown;
    const words = cause instanceof Error ? cause.message : String(cause);
    throw new CopyError(`${what}: ${words}. Nothing of the copy was kept.`, { cause: thrown });
  };
}
