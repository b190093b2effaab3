import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { sql } from "kysely";
import { listPending, migrateUp } from "../../src/storage/migrate.ts";
import { migrations } from "../../src/storage/migrations/index.ts";
import { openBackend, openStorage } from "../../src/storage/open.ts";
import { DATABASES, freshDatabase } from "./databases.ts";
import { halfwayMigrations } from "./interrupted-migration.ts";
import { rejection } from "./rejection.ts";
import { differencesBetween, pictureOf } from "./schema-picture.ts";

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

    test.each([
      ["only the first and 0007", /^000[17]/],
      ["none of 0006 and 0008", /^000[1-579]/],
      ["none of 0011 and 0012", /^00(?:0|13)/],
      ["none of 0016", /^00(?:0|1[1-57])/],
      ["the end users of before their number, and none of 0035", /^00(?:[0-2]|3[0-4]|38)/],
    ])("a database in use that had %s has the tables of a new one in the end", async (_, had) => {
      using old = await freshDatabase(kind);
      using fresh = await freshDatabase(kind);
      const before = migrations.map((step) =>
        step.name === "0036-end-users" ? { ...step, name: "0038-end-users" } : step,
      );
      const backend = openBackend(old.settings);
      const done = await migrateUp(
        backend,
        before.filter(({ name }) => had.test(name)),
      );
      await backend.close();
      const [upgraded, made] = [openStorage(old.settings), openStorage(fresh.settings)];
      expect((await upgraded.migrate()).length).toBe(migrations.length - done.length);
      await made.migrate();
      const pictures = [old, fresh].map(async ({ settings }) => {
        const opened = openBackend(settings);
        const picture = await opened.withoutTimeLimit((db) => pictureOf(kind, db));
        await opened.close();
        return picture;
      });
      const [one, other] = await Promise.all(pictures);
      if (one && other) expect(differencesBetween(one, other)).toEqual([]);
      await Promise.all([upgraded.close(), made.close()]);
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
