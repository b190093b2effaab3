import { Database, type Statement } from "bun:sqlite";
import type { Dump, Peek, Row } from "./peek.ts";

export function peekSqlite(file: string): Peek {
  const { logged, unlogged } = logWrites(file);
  const database = new Database(file, { readonly: true });
  // More than the runtime keeps: each dump asks about many tables, and to prepare that anew took as long as to read them.
  const prepared = new Map<string, Statement>();
  const prepare = (sql: string): Statement => {
    const statement = prepared.get(sql) ?? database.prepare(sql);
    prepared.set(sql, statement);
    return statement;
  };
  const names = (sql: string): string[] => (prepare(sql).all() as { name: string }[]).map(({ name }) => name);
  const rowsOf = (table: string): Row[] => prepare(`select * from "${table}"`).all() as Row[];
  const kept = new Map<string, Map<number, Row>>();
  let lastLine = 0;

  function readRow(table: string, number: number): void {
    const row = prepare(`select * from "${table}" where rowid = ?`).get(number) as Row | null;
    const rows = kept.get(table);
    if (row) rows?.set(number, row);
    else rows?.delete(number);
  }

  /** Row by row: of what has thousands a call changes two or three. */
  function readLog(): ReadonlySet<string> {
    const isFirst = kept.size === 0;
    const lines = prepare(
      `select name, number, max(line) as line from ${LOG} where line > ? group by name, number order by 3`,
    ).all(lastLine) as { name: string; number: number; line: number }[];
    if (isFirst) for (const table of logged) kept.set(table, new Map());
    for (const table of isFirst ? logged : []) {
      for (const { number } of prepare(`select rowid as number from "${table}"`).all() as { number: number }[])
        readRow(table, number);
    }
    for (const { name, number } of lines) readRow(name, number);
    lastLine = lines.at(-1)?.line ?? lastLine;
    return new Set(isFirst ? logged : lines.map(({ name }) => name));
  }

  return {
    tables: async () =>
      names(`select name from sqlite_master where type = 'table' and name not like 'sqlite_%' and name <> '${LOG}'`),
    rows: async (table) => rowsOf(table),
    columns: async (table) => names(`select name from pragma_table_info('${table}')`),
    async written(): Promise<Dump> {
      const changed = [...readLog()].map((table) => [table, [...(kept.get(table)?.values() ?? [])]] as const);
      return Object.fromEntries([...changed, ...unlogged.map((table) => [table, rowsOf(table)] as const)]);
    },
    async close() {
      for (const statement of prepared.values()) statement.finalize();
      database.close();
    },
  };
}

/** Says which row of which table was written, in the same transaction. */
const LOG = "security_test_log";

/** Of virtual tables, such as an index of words, and of what those are made of nothing can be logged. */
function logWrites(file: string): { readonly logged: readonly string[]; readonly unlogged: readonly string[] } {
  const database = new Database(file);
  database.run("pragma busy_timeout = 30000");
  const tables = database
    .query<{ name: string; type: string }, []>(
      "select name, type from pragma_table_list where schema = 'main' and name not like 'sqlite_%'",
    )
    .all();
  const namesOf = (isLogged: boolean): string[] =>
    tables.flatMap(({ name, type }) => ((type === "table") === isLogged ? [name] : []));
  const logged = namesOf(true);
  database.transaction(() => {
    database.run(`create table ${LOG} (line integer primary key, name text not null, number integer not null)`);
    for (const name of logged) {
      for (const [change, rows] of [
        ["insert", ["new"]],
        ["update", ["old", "new"]],
        ["delete", ["old"]],
      ] as const) {
        const lines = rows.map((row) => `insert into ${LOG} (name, number) values ('${name}', ${row}.rowid);`);
        database.run(
          `create trigger ${LOG}_${name}_${change} after ${change} on "${name}" begin ${lines.join(" ")} end`,
        );
      }
    }
  })();
  database.close();
  return { logged, unlogged: namesOf(false) };
}
