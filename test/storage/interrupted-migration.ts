import { sql } from "kysely";
import { migrateUp } from "../../src/storage/migrate.ts";
import { migrations } from "../../src/storage/migrations/index.ts";
import type { Migration } from "../../src/storage/migrations/migration.ts";
import { openBackend, type StorageSettings } from "../../src/storage/open.ts";

/** Two tables and a row, with a pause between them. */
export function halfwayMigrations(pause: () => Promise<void>): readonly Migration[] {
  const halfway: Migration = {
    name: "9999-halfway",
    async up(db) {
      await db.schema.createTable("first_half").addColumn("id", "text").execute();
      await sql`insert into first_half (id) values ('one')`.execute(db);
      await pause();
      await db.schema.createTable("second_half").addColumn("id", "text").execute();
    },
  };
  return [...migrations, halfway];
}

/** As a program of its own: migrates up to the pause, says so, and waits there to be killed. */
if (import.meta.main) {
  const settings = JSON.parse(process.argv[2] ?? "") as StorageSettings;
  const steps = halfwayMigrations(() => {
    process.stdout.write("halfway\n");
    // A timer keeps the process there; a bare promise would let it end.
    return new Promise((resolve) => setTimeout(resolve, 600_000));
  });
  await migrateUp(openBackend(settings), steps);
}
