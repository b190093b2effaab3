import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { sql } from "kysely";
import { listPending, migrateUp } from "../../src/storage/migrate.ts";
import { migrations } from "../../src/storage/migrations/index.ts";
import { openBackend, openStorage } from "../../src/storage/open.ts";
import { DATABASES, freshDatabase } from "./databases.ts";
import { halfwayMigrations } from "./interrupted-migration.ts";
import { rejection } from "./rejection.ts";
import { pictureOf } from "./schema-picture.ts";

const PROGRAM = join(import.meta.dir, "interrupted-migration.ts");
const STEPS = halfwayMigrations(async () => {});
const NAMES = STEPS.map((step) => step.name);

function newStep(name: string) {
  const step = {
    name,
    runs: 0,
    async up() {
      step.runs++;
    },
  };
  return step;
}

test("migrations are listed by their numbers, each of which one has", () => {
  const numbers = migrations.map(({ name }) => Number(/^(\d{4})-[a-z-]+$/.exec(name)?.[1]));
  expect(numbers).toEqual([...new Set(numbers)].sort((one, other) => one - other));
});

for (const { kind, missing } of DATABASES) {
  describe.skipIf(missing)(`migrations on ${kind}`, () => {
    test("a migration that is killed half-way is done again from the start", async () => {
      using database = await freshDatabase(kind);
      const child = Bun.spawn([process.execPath, PROGRAM, JSON.stringify(database.settings)], { stdout: "pipe" });
      const { value } = await child.stdout.getReader().read();
      expect(new TextDecoder().decode(value)).toBe("halfway\n");
      child.kill("SIGKILL");
      await child.exited;

      const backend = openBackend(database.settings);
      expect(await listPending(backend, STEPS)).toEqual(NAMES);
      expect(await migrateUp(backend, STEPS)).toEqual(NAMES);
      expect(await listPending(backend, STEPS)).toEqual([]);
      const schema = await backend.withoutTimeLimit((db) => pictureOf(kind, db));
      expect(schema.has("first_half.id is text or null") && schema.has("second_half.id is text or null")).toBe(true);
      const { rows } = await sql`select id from first_half`.execute(backend.db);
      expect(rows).toEqual([{ id: "one" }]);
      await backend.close();
    });

    test("a migration that fails leaves nothing behind and names its error", async () => {
      using database = await freshDatabase(kind);
      const backend = openBackend(database.settings);
      const failure = new Error("not today");
      const failing = halfwayMigrations(() => Promise.reject(failure));
      expect(await rejection(migrateUp(backend, failing))).toBe(failure);
      expect(await listPending(backend, STEPS)).toEqual(NAMES);
      expect(await migrateUp(backend, STEPS)).toEqual(NAMES);
      await backend.close();
    });

    test("a database that knows a migration more than the program is refused and left as it is", async () => {
      using database = await freshDatabase(kind);
      const backend = openBackend(database.settings);
      const later = { name: "9999-later", up: async () => {} };
      expect(await migrateUp(backend, [...STEPS, later])).toEqual([...NAMES, later.name]);
      expect(String(await rejection(migrateUp(backend, STEPS)))).toContain(later.name);
      expect(String(await rejection(listPending(backend, STEPS)))).toContain(later.name);
      expect(await migrateUp(backend, [...STEPS, later])).toEqual([]);
      await backend.close();
    });

    test("a migration that comes before one that has run is refused by name, and nothing runs", async () => {
      using database = await freshDatabase(kind);
      const backend = openBackend(database.settings);
      const [first, third] = [newStep("0001-first"), newStep("0003-third")];
      const late = newStep("0002-late");
      expect(await migrateUp(backend, [first, third])).toEqual([first.name, third.name]);
      // Also beside one that could run, and in whatever order they are listed.
      for (const steps of [
        [first, late, third],
        [first, third, late],
        [first, late, third, newStep("0004-fourth")],
      ]) {
        const refusal = String(await rejection(migrateUp(backend, steps)));
        expect([refusal.includes(late.name), refusal.includes(third.name)]).toEqual([true, true]);
      }
      expect(late.runs).toBe(0);
      expect(await listPending(backend, [first, late, third])).toEqual([late.name]);
      expect(await migrateUp(backend, [first, third])).toEqual([]);
      await backend.close();
    });

    test("a migration that ran under its former name is not done again, and those that came before it since are", async () => {
      using database = await freshDatabase(kind);
      const backend = openBackend(database.settings);
      const [first, third] = [newStep("0001-first"), newStep("0005-third")];
      expect(await migrateUp(backend, [first, third])).toEqual([first.name, third.name]);
      const renamed = { ...newStep("0003-third"), formerName: third.name };
      const steps = [first, newStep("0002-second"), renamed, newStep("0004-fourth")];
      expect(await listPending(backend, steps)).toEqual(["0002-second", "0004-fourth"]);
      expect(await migrateUp(backend, steps)).toEqual(["0002-second", "0004-fourth"]);
      expect([await migrateUp(backend, steps), await listPending(backend, steps)]).toEqual([[], []]);
      expect([third.runs, renamed.runs]).toEqual([1, 0]);
      await backend.close();
    });

    test("migrating again, or twice at once, applies each step once", async () => {
      using database = await freshDatabase(kind);
      const storages = [openStorage(database.settings), openStorage(database.settings)];
      const applied = await Promise.all(storages.map((storage) => storage.migrate()));
      expect(applied.flat()).toEqual(migrations.map(({ name }) => name));
      for (const storage of storages) {
        expect(await storage.migrate()).toEqual([]);
        expect(await storage.pendingMigrations()).toEqual([]);
        await storage.close();
      }
    });
  });
}
