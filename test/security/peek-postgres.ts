import { Client } from "pg";
import type { Dump, Peek, Row } from "./peek.ts";

export async function peekPostgres(url: string): Promise<Peek> {
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query(LOG_WRITES);
  const names = async (sql: string): Promise<string[]> =>
    (await client.query<{ name: string }>(sql)).rows.map(({ name }) => name);
  const rows = async (table: string): Promise<Row[]> => (await client.query(`select * from "${table}"`)).rows;
  return {
    tables: () => names("select tablename as name from pg_tables where schemaname = 'public'"),
    rows,
    columns: (table) =>
      names(`select column_name as name from information_schema.columns where table_name = '${table}'`),
    async written() {
      const dump: Record<string, readonly Row[]> = {};
      for (const table of await names(TAKE_LOG)) dump[table] = await rows(table);
      return dump satisfies Dump;
    },
    close: () => client.end(),
  };
}

/** What is not committed yet stays for the next time. */
const TAKE_LOG = "with taken as (delete from security_test.log returning name) select distinct name from taken";

/** A line for each statement that wrote something: transactions that write at the same time do not meet in it. */
const LOG_WRITES = `
  create schema security_test;
  create table security_test.log (name text not null);
  create function security_test.log() returns trigger language plpgsql as $$
    begin
      insert into security_test.log values (tg_table_name);
      return null;
    end $$;
  do $$ declare name text; begin
    for name in select tablename from pg_tables where schemaname = 'public' loop
      insert into security_test.log values (name);
      execute format('create trigger security_test after insert or update or delete or truncate on %I
        for each statement execute function security_test.log()', name);
    end loop;
  end $$`;
