import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { sql } from "kysely";
import type { Backend } from "../../src/storage/backend.ts";
import { openBackend } from "../../src/storage/open.ts";
import { type FreshDatabase, freshDatabase } from "./databases.ts";

/** Several hundred milliseconds of SQLite's own time in one statement. */
const LONG_WRITE = sql`
  insert into numbers
  with recursive counting(n) as (select 1 union all select n + 1 from counting where n < 400000)
  select n from counting`;

describe("the event loop beside SQLite", () => {
  let database: FreshDatabase;
  let backend: Backend;

  beforeAll(async () => {
    database = await freshDatabase("sqlite");
    backend = openBackend(database.settings);
    await sql`create table numbers (n bigint)`.execute(backend.db);
  });
  afterAll(async () => {
    await backend.close();
    database[Symbol.dispose]();
  });

  test("goes round many times during one long write", async () => {
    let rounds = 0;
    let writing = true;
    const ticking = (async () => {
      for (; writing; rounds++) await new Promise((resolve) => setTimeout(resolve, 1));
    })();
    await LONG_WRITE.execute(backend.db);
    writing = false;
    await ticking;
    // On the main thread it would be one round, however slow the machine is.
    expect(rounds).toBeGreaterThan(5);
  });

  test("reads are answered while a write is under way", async () => {
    const order: string[] = [];
    await Promise.all([
      LONG_WRITE.execute(backend.db).then(() => order.push("write")),
      backend.ping().then(() => order.push("read")),
    ]);
    expect(order).toEqual(["read", "write"]);
  });

  test("what is read of a table that grows with every call holds up no other read", async () => {
    await sql`create table usage_log (n bigint)`.execute(backend.db);
    const order: string[] = [];
    const counting = sql`(
      with recursive counting(n) as (select 1 union all select n + 1 from counting where n < 2000000)
      select count(*) from counting where n not in (select n from usage_log))`.as("counted");
    await Promise.all([
      backend.db
        .selectFrom(counting)
        .selectAll()
        .execute()
        .then(() => order.push("sum")),
      backend.ping().then(() => order.push("read")),
    ]);
    expect(order).toEqual(["read", "sum"]);
  });

  test("what is written out and only reads waits for no write", async () => {
    const order: string[] = [];
    await Promise.all([
      LONG_WRITE.execute(backend.db).then(() => order.push("write")),
      sql`select count(*) from numbers where n < 0`.execute(backend.db).then(() => order.push("read")),
    ]);
    expect(order).toEqual(["read", "write"]);
  });

  test("a process that has closed its storage ends by itself", async () => {
    using other = await freshDatabase("sqlite");
    const program = `
      import { openStorage } from ${JSON.stringify(new URL("../../src/storage/open.ts", import.meta.url).href)};
      const storage = openStorage(${JSON.stringify(other.settings)});
      await storage.migrate();
      if (process.argv[1] === "close") await storage.close();
      process.stdout.write("done");`;
    for (const mode of ["close", "forget"]) {
      const child = Bun.spawn([process.execPath, "-e", program, mode], { stdout: "pipe" });
      expect(await new Response(child.stdout).text()).toBe("done");
      expect(await child.exited).toBe(0);
    }
  });
});
