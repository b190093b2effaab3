import { Database, type Statement } from "bun:sqlite";
import { Client } from "pg";

export type Row = Readonly<Record<string, unknown>>;
export type Dump = Readonly<Record<string, readonly Row[]>>;

/** Looks at a database past the program: what is really there. */
export interface Peek {
  tables(): Promise<readonly string[]>;
  rows(table: string): Promise<readonly Row[]>;
  columns(table: string): Promise<readonly string[]>;
  close(): Promise<void>;
}

export function peekSqlite(file: string): Peek {
  const database = new Database(file, { readonly: true });
  // More than the runtime keeps: each dump asks about all tables, and to prepare that anew took as long as to read them.
  const kept = new Map<string, Statement>();
  const all = (sql: string): unknown[] => {
    const prepared = kept.get(sql) ?? database.prepare(sql);
    kept.set(sql, prepared);
    return prepared.all();
  };
  const names = (sql: string): string[] => (all(sql) as { name: string }[]).map(({ name }) => name);
  return {
    tables: async () => names("select name from sqlite_master where type = 'table' and name not like 'sqlite_%'"),
    rows: async (table) => all(`select * from "${table}"`) as Row[],
    columns: async (table) => names(`select name from pragma_table_info('${table}')`),
    async close() {
      for (const prepared of kept.values()) prepared.finalize();
      database.close();
    },
  };
}

export async function peekPostgres(url: string): Promise<Peek> {
  const client = new Client({ connectionString: url });
  await client.connect();
  const names = async (sql: string): Promise<string[]> =>
    (await client.query<{ name: string }>(sql)).rows.map(({ name }) => name);
  return {
    tables: () => names("select tablename as name from pg_tables where schemaname = 'public'"),
    rows: async (table) => (await client.query(`select * from "${table}"`)).rows as Row[],
    columns: (table) =>
      names(`select column_name as name from information_schema.columns where table_name = '${table}'`),
    close: () => client.end(),
  };
}

/** Every row of every table. A database gives rows in whatever order it likes. */
export async function dumpOf(peek: Peek): Promise<Dump> {
  const entries: [string, Row[]][] = [];
  for (const table of [...(await peek.tables())].sort()) {
    const rows = (await peek.rows(table)).map((row) => [JSON.stringify(row), row] as const);
    entries.push([table, rows.sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row)]);
  }
  return Object.fromEntries(entries);
}
