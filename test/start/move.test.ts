import { Database } from "bun:sqlite";
import { afterAll, describe, expect, test } from "bun:test";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { Client } from "pg";
import { lockDataDir } from "../../src/storage/data-lock.ts";
import { Person } from "../cli/command-line.ts";
import { newFolder, startTurnpike } from "../e2e/process.ts";
import { postgresMissing, sharedPostgres } from "../services/postgres.ts";
import { migratedUrl, putMigratedSqlite } from "../storage/migrated.ts";
import { fillByHand, postgresRows, sqliteRows } from "./moved-rows.ts";

const SLOW_MS = 180_000;
const operator = new Person("http://127.0.0.1:9");
const folders: { remove(): void }[] = [];
afterAll(() => {
  operator.remove();
  for (const folder of folders) folder.remove();
});

function folder(): string {
  const made = newFolder();
  folders.push(made);
  return made.path;
}

/** A data folder with tables and no server ever. */
async function quietFolder(): Promise<string> {
  const dataDir = join(folder(), "data");
  mkdirSync(dataDir);
  await putMigratedSqlite(dataDir);
  return dataDir;
}

async function newDatabase(): Promise<string> {
  return (await (await sharedPostgres())?.createDatabase()) ?? "";
}

async function ask<Row>(url: string, text: string): Promise<Row[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(text)).rows as Row[];
  } finally {
    await client.end();
  }
}

interface Made {
  readonly id: string;
}

const jsonOf = async <T>(answer: Promise<Response>): Promise<T> => (await (await answer).json()) as T;

const env = { TURNPIKE_SECRET: "a-secret-for-tests-0123456789abcdef" };
const move = (dataDir: string, to: string, more: Record<string, string> = env) =>
  operator.run(["move", "--data-dir", dataDir, "--to", to], { env: more });

async function tablesOf(url: string): Promise<string[]> {
  const text = "select tablename as name from pg_tables where schemaname = 'public' and tablename not like 'kysely%'";
  return (await ask<{ name: string }>(url, text)).map(({ name }) => name);
}

async function tablesWithRows(url: string): Promise<string[]> {
  const filled: string[] = [];
  for (const name of await tablesOf(url))
    if ((await ask(url, `select 1 from "${name}" limit 1`)).length > 0) filled.push(name);
  return filled;
}

describe.skipIf(postgresMissing !== null)("turnpike move", () => {
  test(
    "what a server over SQLite had goes on over PostgreSQL, to the last call, row for row",
    async () => {
      const cwd = folder();
      const dataDir = join(cwd, "data");
      const url = await newDatabase();
      const server = await startTurnpike(cwd);
      const key = /Demo key +(sk-\w+)/.exec(server.output())?.[1] ?? "";
      const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
      const post = (at: string, path: string, body: unknown) =>
        fetch(at + path, { method: "POST", headers, body: JSON.stringify(body) });
      const chat = { model: "echo", messages: [{ role: "user", content: "Hello!" }] };
      const { id: assistant } = await jsonOf<Made>(post(server.url, "/v1/assistants", { model: "echo" }));
      const thread = { messages: [{ role: "user", content: "What is it?" }] };
      const wanted = { assistant_id: assistant, thread };
      const run = await jsonOf<Made & { thread_id: string }>(post(server.url, "/v1/threads/runs", wanted));
      const form = new FormData();
      form.set("purpose", "assistants");
      form.set("file", new File(["The lighthouse is red."], "a.txt"));
      const uploaded = { method: "POST", headers: { authorization: headers.authorization }, body: form };
      const { id: file } = await jsonOf<Made>(fetch(`${server.url}/v1/files`, uploaded));
      expect((await post(server.url, "/v1/chat/completions", chat)).status).toBe(200);
      // Nobody else may write: what the server knows of its last call stands in the journal alone.
      const held = new Database(join(dataDir, "turnpike.db"));
      held.run("pragma busy_timeout = 30000");
      held.run("begin immediate");
      expect((await post(server.url, "/v1/chat/completions", chat)).status).toBe(200);
      server.kill("SIGKILL");
      await server.exited;
      held.close();
      fillByHand(dataDir);

      const moved = await operator.run(["move", "--data-dir", dataDir, "--json"], {
        env: { TURNPIKE_DATABASE_URL: url },
      });
      expect(moved).toMatchObject({ code: 0, err: expect.stringMatching(/of (\d+) rows are copied \(\w+\)\n/) });
      const report = JSON.parse(moved.out);
      expect(report).toMatchObject({
        ok: true,
        ledger: { ok: true },
        audit: { ok: true },
        stays: ["secrets.json", "files"],
      });
      expect(report.settled).toBeGreaterThan(0);
      // Every table that the migrations make, now and later. Vectors are put beside their passages when they are searched.
      const names = (await tablesOf(url)).filter((name) => name !== "passage_vectors");
      expect(Object.keys(report.tables).sort()).toEqual(names.sort());
      for (const [table, rows] of Object.entries(report.tables)) {
        const copied = await postgresRows(url, table);
        expect([table, copied]).toEqual([table, sqliteRows(dataDir, table)]);
        expect([table, copied.length]).toEqual([table, rows as number]);
      }
      const keys =
        "select conrelid::regclass::text as a, pg_get_constraintdef(oid) as b from pg_constraint order by 1, 2";
      expect(await ask(url, keys)).toEqual(await ask((await migratedUrl("postgres")) ?? "", keys));
      expect(await ask(url, "select nextval(pg_get_serial_sequence('users', 'id'))::text as next")).toEqual([
        { next: "42" },
      ]);

      const over = { TURNPIKE_DATABASE_URL: url };
      const show = async (more: Record<string, string>) =>
        JSON.parse(
          (await operator.run(["ledger", "show", "Demo", "--data-dir", dataDir, "--json"], { env: more })).out,
        );
      const before = await show({});
      expect(before.balance).toBeLessThan(10_000_000_000);
      expect(await show(over)).toEqual(before);
      const next = await startTurnpike(cwd, over);
      expect(next.output()).not.toContain("Shown this one time");
      expect((await post(next.url, "/v1/chat/completions", chat)).status).toBe(200);
      const content = await fetch(`${next.url}/v1/files/${file}/content`, { headers });
      expect(await content.text()).toBe("The lighthouse is red.");
      const kept = await fetch(`${next.url}/v1/threads/${run.thread_id}/runs/${run.id}`, { headers });
      expect(await kept.json()).toMatchObject({ id: run.id });
      next.kill("SIGTERM");
      await next.exited;
      expect((await show(over)).balance).toBeLessThan(before.balance);
      for (const command of ["ledger verify", "audit verify"])
        expect((await operator.run([...command.split(" "), "--data-dir", dataDir], { env: over })).code).toBe(0);
    },
    SLOW_MS,
  );

  test(
    "one that is killed in its middle leaves nothing, and the next one copies all",
    async () => {
      const dataDir = await quietFolder();
      const url = await newDatabase();
      expect((await operator.run(["migrate"], { env: { TURNPIKE_DATABASE_URL: url } })).code).toBe(0);
      const holder = new Client({ connectionString: url });
      await holder.connect();
      await holder.query("select pg_advisory_lock(1)");
      await holder.query(`create function wait() returns trigger language plpgsql as
        $$ begin perform pg_advisory_xact_lock(1); return null; end $$`);
      await holder.query(
        "create trigger halfway before insert on vector_stores for each statement execute function wait()",
      );
      fillByHand(dataDir);
      const child = operator.start(["move", "--data-dir", dataDir, "--to", url], { env });
      const waits = "select 1 from pg_locks where locktype = 'advisory' and not granted";
      while ((await holder.query(waits)).rows.length === 0) await Bun.sleep(50);
      child.kill("SIGKILL");
      await child.exited;
      await holder.query("select pg_advisory_unlock(1)");
      await holder.query("drop trigger halfway on vector_stores");
      await holder.end();
      expect(await tablesWithRows(url)).toEqual(["audit_chain"]);
      expect(await move(dataDir, url)).toMatchObject({ code: 0 });
      expect(await tablesWithRows(url)).toContainValues(["files", "passages", "vector_stores"]);
    },
    SLOW_MS,
  );

  test("a database that has rows is refused, named, and left as it is", async () => {
    const dataDir = await quietFolder();
    const url = await newDatabase();
    await ask(url, "create table users (id integer)");
    await ask(url, "insert into users values (1)");
    const { code, err } = await move(dataDir, url);
    expect([code, err]).toEqual([1, expect.stringContaining("The database has rows already, in users. Nothing was")]);
    expect(await ask(url, "select tablename from pg_tables where schemaname = 'public'")).toHaveLength(1);
  });

  test(
    "rows that PostgreSQL does not take are told with their table, and nothing is kept of the others",
    async () => {
      for (const [change, words] of [
        [
          "update files set team_id = 'nobody'",
          "What refers to other rows could not be copied: insert or update on table",
        ],
        ["update vector_store_files set attempts = 4294967296", "vector_store_files could not be copied: "],
      ] as const) {
        const dataDir = await quietFolder();
        fillByHand(dataDir);
        const database = new Database(join(dataDir, "turnpike.db"));
        database.run("pragma foreign_keys = off");
        database.run(change);
        database.close();
        const url = await newDatabase();
        const { code, err } = await move(dataDir, url);
        expect([code, err]).toEqual([1, expect.stringContaining(words)]);
        expect(err).not.toMatch(/\n\s+at /);
        expect(await tablesWithRows(url)).toEqual(["audit_chain"]);
      }
    },
    SLOW_MS,
  );

  test(
    "a folder that a server or one of its workers holds is refused",
    async () => {
      const dataDir = await quietFolder();
      const url = await newDatabase();
      const server = lockDataDir(dataDir);
      expect(await move(dataDir, url)).toMatchObject({ code: 1, err: expect.stringContaining("is in use by another") });
      server.release();
      const worker = lockDataDir(join(dataDir, "journal", "host-1-abc"));
      const refused = await move(dataDir, url);
      expect(refused).toMatchObject({
        code: 1,
        err: expect.stringMatching(/^turnpike: 1 folders in .*journal are in use/),
      });
      worker.release();
      expect(await ask(url, "select 1 from pg_tables where schemaname = 'public'")).toEqual([]);
      expect(await move(dataDir, url)).toMatchObject({ code: 0 });
    },
    SLOW_MS,
  );

  test(
    "a database that cannot be reached or used is told as by serve",
    async () => {
      const dataDir = await quietFolder();
      const url = await newDatabase();
      await ask(url, "create role no_tables login");
      const forbidden = await move(dataDir, url.replace("postgres@", "no_tables@"));
      expect(forbidden).toMatchObject({
        code: 1,
        err: expect.stringMatching(
          /permission denied for schema public\. The user of --to .* GRANT CREATE ON SCHEMA public/,
        ),
      });
      const nowhere = await move(dataDir, url.replace(/[^/]*$/, "nowhere"));
      expect(nowhere).toMatchObject({
        code: 7,
        err: expect.stringContaining('"nowhere" does not exist. Is --to right?'),
      });
      const away = await move(dataDir, "postgres://nobody@127.0.0.1:1/none");
      expect(away).toMatchObject({ code: 7, err: expect.stringContaining("is --to right?") });
    },
    SLOW_MS,
  );

  test(
    "another secret than the installation's is refused before anything is copied",
    async () => {
      const dataDir = await quietFolder();
      const database = new Database(join(dataDir, "turnpike.db"));
      database.run("insert into settings (name, value) values ('secret_fingerprint', 'another')");
      database.close();
      const url = await newDatabase();
      expect(await move(dataDir, url)).toMatchObject({ code: 1, err: expect.stringContaining("with another secret") });
      expect(await ask(url, "select 1 from pg_tables where schemaname = 'public'")).toEqual([]);
    },
    SLOW_MS,
  );
});

test(
  "a folder of another version is refused, and the command that brings it along is named",
  async () => {
    const dataDir = await quietFolder();
    const database = new Database(join(dataDir, "turnpike.db"));
    database.run("delete from kysely_migration where name > '0036'");
    const earlier = await move(dataDir, "postgres://nobody@127.0.0.1:1/none");
    expect(earlier).toMatchObject({
      code: 1,
      err: expect.stringContaining(`: turnpike migrate --data-dir ${dataDir}\n`),
    });
    const named = { env: { ...env, TURNPIKE_DATABASE_URL: "postgres://nobody@127.0.0.1:1/none" } };
    const { err } = await operator.run(["move", "--data-dir", dataDir], named);
    expect(err).toContain(`: TURNPIKE_DATABASE_URL= turnpike migrate --data-dir ${dataDir}\n`);
    database.run("insert into kysely_migration (name, timestamp) values ('9999-later', '2030-01-01T00:00:00.000Z')");
    database.close();
    const later = await move(dataDir, "postgres://nobody@127.0.0.1:1/none");
    expect(later).toMatchObject({ code: 1, err: expect.stringContaining("does not know 9999-later") });
  },
  SLOW_MS,
);

test(
  "without a database to move, or one to move to, it says what to name",
  async () => {
    const dataDir = await quietFolder();
    const nowhere = await operator.run(["move", "--data-dir", dataDir], { env });
    expect(nowhere).toMatchObject({ code: 2, err: expect.stringContaining("with --to postgres://USER@HOST/DATABASE") });
    const wrong = await move(dataDir, "mysql://127.0.0.1/books");
    expect(wrong).toMatchObject({
      code: 2,
      err: expect.stringContaining("must be an address that begins with postgres://"),
    });
    const nothing = await move(join(dataDir, "none"), "postgres://nobody@127.0.0.1:1/none");
    expect(nothing).toMatchObject({ code: 2, err: expect.stringContaining("There is no database in") });
  },
  SLOW_MS,
);
