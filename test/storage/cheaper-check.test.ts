import { describe, expect, test } from "bun:test";
import { sql } from "kysely";
import { endedCall } from "../../src/ledger/settle-store.ts";
import type { Backend } from "../../src/storage/backend.ts";
import { migrateUp } from "../../src/storage/migrate.ts";
import { cheaperCheck } from "../../src/storage/migrations/0018-cheaper-check.ts";
import { migrations } from "../../src/storage/migrations/index.ts";
import { openBackend } from "../../src/storage/open.ts";
import { insertUsage } from "../../src/storage/usage/insert-usage.ts";
import { freshDatabase } from "./databases.ts";
import { newCall } from "./new-usage.ts";
import { rejection } from "./rejection.ts";
import { pictureOf } from "./schema-picture.ts";

const BEFORE = migrations.slice(0, migrations.indexOf(cheaperCheck));
const NOW = [...BEFORE, cheaperCheck];

const logged = (backend: Backend) => backend.db.selectFrom("usageLog").selectAll().orderBy("id").execute();
const schemaOf = (backend: Backend) => backend.withoutTimeLimit((db) => pictureOf("sqlite", db));
const wordingOf = async (backend: Backend): Promise<string> => {
  const { rows } = await sql<{ sql: string }>`select sql from sqlite_master where name = 'usage_log'`.execute(
    backend.db,
  );
  return rows[0]?.sql ?? "";
};
const isReworded = async (backend: Backend) => (await wordingOf(backend)).includes(`"status" = 'succeeded' or`);

describe("the log of SQLite with a cheaper check", () => {
  test("has the calls, the keys and the rules that it had, and refuses what it refused", async () => {
    using database = await freshDatabase("sqlite");
    const backend = openBackend(database.settings);
    await migrateUp(backend, BEFORE);
    await insertUsage(backend.db, [endedCall(newCall(), []), endedCall(newCall({ status: "aborted" }), [])]);
    const before = { calls: await logged(backend), schema: await schemaOf(backend) };
    expect(await isReworded(backend)).toBe(false);
    expect(await migrateUp(backend, NOW)).toEqual([cheaperCheck.name]);
    expect(await isReworded(backend)).toBe(true);
    expect({ calls: await logged(backend), schema: await schemaOf(backend) }).toEqual(before);
    const odd = insertUsage(backend.db, [endedCall(newCall({ status: "odd" as never }), [])]);
    expect(String(await rejection(odd))).toContain("CHECK constraint failed");
    await backend.close();
  });

  test("stays as it is where it is large", async () => {
    using database = await freshDatabase("sqlite");
    const backend = openBackend(database.settings);
    await migrateUp(backend, BEFORE);
    await insertUsage(backend.db, [endedCall(newCall(), [])]);
    const { rows } = await sql<{ name: string }>`select name from pragma_table_info('usage_log')`.execute(backend.db);
    const others = rows.map(({ name }) => name).filter((name) => name !== "id");
    await sql
      .raw(`with recursive n (i) as (select 1 union all select i + 1 from n where i < 100000)
        insert into usage_log (id, ${others.join(", ")}) select id || '-' || i, ${others.join(", ")} from usage_log, n`)
      .execute(backend.db);
    expect(await migrateUp(backend, NOW)).toEqual([cheaperCheck.name]);
    expect(await isReworded(backend)).toBe(false);
    await backend.close();
  });
});
