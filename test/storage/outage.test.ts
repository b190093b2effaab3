import { Database } from "bun:sqlite";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "pg";
import { accountStores } from "../../src/storage/accounts/account-stores.ts";
import type { Backend } from "../../src/storage/backend.ts";
import { migrateUp } from "../../src/storage/migrate.ts";
import { migrations } from "../../src/storage/migrations/index.ts";
import { openStorage, type Storage } from "../../src/storage/open.ts";
import { openSqlite } from "../../src/storage/sqlite/open-sqlite.ts";
import { spawnSqliteWorker } from "../../src/storage/sqlite/supervised-worker.ts";
import { sqliteThreads } from "../../src/storage/sqlite/threads.ts";
import { type PostgresServer, postgresMissing, startPostgres } from "../services/postgres.ts";
import { PATIENT_MS } from "./patience.ts";
import { rejection } from "./rejection.ts";

/** Short, for tests that sit it out. On a busy machine an answer may take longer, so what has to succeed is asked for again. */
const TIMEOUT_MS = 300;
const DOWN = { name: "GatewayError", kind: "database", cause: expect.any(Error) };

describe.skipIf(postgresMissing !== null)("an outage of PostgreSQL", () => {
  let server: PostgresServer;
  let storage: Storage;

  beforeAll(async () => {
    const started = await startPostgres();
    if (started === null) throw new Error("no PostgreSQL");
    server = started;
  });
  const open = (timeoutMs: number): Storage =>
    openStorage({ databaseUrl: server.url, dataDir: "/nonexistent", timeoutMs });
  beforeEach(() => {
    storage = open(PATIENT_MS);
  });
  afterEach(() => storage.close());
  afterAll(() => server.stop());

  test("a server that is down at the start is a 503 until it is up", async () => {
    await server.kill();
    expect(await rejection(storage.ping())).toMatchObject(DOWN);
    expect(await rejection(storage.migrate())).toMatchObject(DOWN);
    expect(await rejection(storage.pendingMigrations())).toMatchObject(DOWN);
    await server.restart();
    await storage.ping();
    await storage.migrate();
    await storage.accounts.settings.put("after", "start");
  });

  test("a server that goes away is a 503 until it is back, also within a transaction", async () => {
    await storage.accounts.settings.put("kept", "yes");
    const work = storage.accounts.transaction(async (stores) => {
      await stores.settings.put("lost", "yes");
      await server.kill();
      await stores.settings.put("lost", "again");
    });
    expect(await rejection(work)).toMatchObject(DOWN);
    expect(await rejection(storage.ping())).toMatchObject(DOWN);
    await server.restart();
    await storage.ping();
    expect(await storage.accounts.settings.find("kept")).toBe("yes");
    expect(await storage.accounts.settings.find("lost")).toBeNull();
  });

  test("idle connections that are lost do not end the process", async () => {
    await Promise.all(Array.from({ length: 5 }, () => storage.ping()));
    await server.kill();
    await server.restart();
    await storage.ping();
  });

  test("a server that falls silent is a 503 for old and new connections, and none of them stays stuck", async () => {
    const hurried = open(TIMEOUT_MS);
    await untilDone(() => hurried.ping());
    server.pause();
    const calls = Array.from({ length: 15 }, () => hurried.accounts.settings.find("kept"));
    for (const error of await Promise.all(calls.map(rejection))) expect(error).toMatchObject(DOWN);
    server.resume();
    // More at once than there are connections: one that is stuck would fail one of them each time.
    await untilDone(() => Promise.all(Array.from({ length: 15 }, () => hurried.ping())));
    await hurried.close();
  });

  test("a connection that alone falls silent is replaced", async () => {
    const hurried = open(TIMEOUT_MS);
    await untilDone(() => hurried.ping());
    server.pauseConnections();
    expect(await rejection(hurried.ping())).toMatchObject(DOWN);
    await untilDone(() => hurried.ping());
    server.resume();
    await hurried.close();
  });

  test("a server that becomes a standby is a 503 for what is written, and its connections are replaced", async () => {
    const operator = new Client({ connectionString: server.url });
    await operator.connect();
    const set = async (value: "on" | "off"): Promise<void> => {
      await operator.query("set default_transaction_read_only = off");
      await operator.query(`alter system set default_transaction_read_only = ${value}`);
      await operator.query("select pg_reload_conf()");
    };
    const connections = async (): Promise<readonly number[]> => {
      const { rows } = await operator.query("select pid from pg_stat_activity where application_name = 'turnpike'");
      return rows.map(({ pid }) => pid);
    };
    await storage.migrate();
    await storage.ping();
    let before = await connections();
    while (before.length !== 1) before = await connections();
    await set("on");
    // The server takes the setting over in its own time.
    const write = () => storage.accounts.settings.put("standby", "2");
    const failure = (): Promise<unknown> =>
      write().then(
        () => null,
        (thrown: unknown) => thrown,
      );
    let error = await failure();
    for (; error === null; error = await failure()) await Bun.sleep(5);
    expect(error).toMatchObject(DOWN);
    // In use all the time, as on a server: no rest would end it.
    do await storage.ping();
    while ((await connections()).includes(before[0] ?? 0));
    await set("off");
    while ((await failure()) !== null) await Bun.sleep(5);
    expect(await storage.accounts.settings.find("standby")).toBe("2");
    await operator.end();
  });

  test("a statement that takes too long is a 503, and its connection goes on", async () => {
    const hurried = open(TIMEOUT_MS);
    await storage.accounts.transaction(async (stores) => {
      await stores.settings.put("contended", "1");
      expect(await rejection(hurried.accounts.settings.put("contended", "2"))).toMatchObject(DOWN);
    });
    await untilDone(() => hurried.accounts.settings.put("contended", "3"));
    expect(await storage.accounts.settings.find("contended")).toBe("3");
    await hurried.close();
  });

  test("a wrong password or database is a 503 too: the caller did nothing wrong", async () => {
    const wrong = openStorage({ databaseUrl: `${server.url}_none`, dataDir: "/nonexistent", timeoutMs: PATIENT_MS });
    expect(await rejection(wrong.ping())).toMatchObject(DOWN);
    await wrong.close();
  });
});

describe("an outage of SQLite", () => {
  let dataDir: string;
  let backend: Backend;
  let workers: { role: string; worker: Worker }[];

  beforeEach(async () => {
    dataDir = mkdtempSync(join(tmpdir(), "turnpike-outage-"));
    workers = [];
    const threads = sqliteThreads({
      dataDir,
      timeoutMs: TIMEOUT_MS,
      spawn(role) {
        const worker = spawnSqliteWorker(role);
        workers.push({ role, worker });
        return worker;
      },
    });
    backend = openSqlite(threads);
    await migrateUp(backend, migrations);
  });
  afterEach(async () => {
    await backend.close();
    rmSync(dataDir, { recursive: true, force: true });
  });

  test("workers that die are replaced, and what was committed is there", async () => {
    const stores = accountStores(backend.db);
    await stores.settings.put("kept", "yes");
    const before = workers.length;
    const interrupted = [stores.settings.put("open", "yes"), stores.settings.find("kept")].map(rejectionOrValue);
    // Called in the same tick, so that nothing has been answered yet.
    for (const { worker } of workers) worker.terminate();
    for (const result of await Promise.all(interrupted))
      if (result instanceof Error) expect(result).toMatchObject(DOWN);
    expect(await stores.settings.find("kept")).toBe("yes");
    await stores.settings.put("later", "yes");
    expect(await stores.settings.find("later")).toBe("yes");
    expect(workers.length).toBe(before + 2);
  });

  test("a transaction whose worker died never goes on in the next one", async () => {
    const stores = accountStores(backend.db);
    const work = stores.transaction(async (inner) => {
      await inner.settings.put("half", "1");
      for (const { role, worker } of workers) if (role === "writer") worker.terminate();
      await rejection(inner.settings.put("half", "2"));
      // The next worker may be there by now; this must not slip into it on its own.
      await inner.settings.put("half", "3");
    });
    expect(await rejection(work)).toMatchObject(DOWN);
    expect(await stores.settings.find("half")).toBeNull();
    await stores.settings.put("half", "4");
  });

  test("a writer that waits behind an endless transaction is told so", async () => {
    const stores = accountStores(backend.db);
    await stores.transaction(async () => {
      expect(await rejection(stores.settings.put("outside", "1"))).toMatchObject(DOWN);
      expect(await rejection(stores.transaction(async () => {}))).toMatchObject(DOWN);
      await backend.ping();
    });
    await stores.settings.put("outside", "2");
    expect(await stores.settings.find("outside")).toBe("2");
  });

  test("a first start waits for somebody who is writing to the file", async () => {
    const folder = mkdtempSync(join(tmpdir(), "turnpike-outage-"));
    const other = new Database(join(folder, "turnpike.db"));
    other.run("create table written (id)");
    other.run("begin immediate");
    const storage = openStorage({ databaseUrl: null, dataDir: folder });
    const migrated = storage.migrate();
    // A read is answered meanwhile: only the writer has to wait.
    await storage.ping();
    setTimeout(() => other.close(), 50);
    expect(await migrated).toEqual(migrations.map((migration) => migration.name));
    await storage.close();
    rmSync(folder, { recursive: true });
  });

  test("a folder that cannot be opened is a 503 until it can", async () => {
    const parent = mkdtempSync(join(tmpdir(), "turnpike-outage-"));
    const folder = join(parent, "data");
    writeFileSync(folder, "a file where the folder should be");
    chmodSync(folder, 0o600);
    const storage = openStorage({ databaseUrl: null, dataDir: folder, timeoutMs: TIMEOUT_MS });
    expect(await rejection(storage.ping())).toMatchObject(DOWN);
    expect(await rejection(storage.migrate())).toMatchObject(DOWN);
    rmSync(folder);
    await storage.migrate();
    await storage.ping();
    await storage.close();
    rmSync(parent, { recursive: true });
  });
});

async function untilDone(work: () => Promise<unknown>): Promise<void> {
  const isDone = () =>
    work().then(
      () => true,
      () => false,
    );
  while (!(await isDone()));
}

function rejectionOrValue(work: Promise<unknown>): Promise<unknown> {
  return work.catch((error: unknown) => error);
}
