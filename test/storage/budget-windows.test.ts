import { describe, expect, test } from "bun:test";
import { sql } from "kysely";
import { migrateUp } from "../../src/storage/migrate.ts";
import { budgets } from "../../src/storage/migrations/0040-budgets.ts";
import { migrations } from "../../src/storage/migrations/index.ts";
import { openBackend } from "../../src/storage/open.ts";
import { DATABASES, freshDatabase } from "./databases.ts";
import { rejection } from "./rejection.ts";

describe.each(DATABASES)("budgets of a database from before windows of any length, on $kind", ({ kind, missing }) => {
  test.skipIf(missing)("keep their windows, and may have others afterwards", async () => {
    using database = await freshDatabase(kind);
    const backend = openBackend(database.settings);
    await migrateUp(backend, migrations.slice(0, migrations.indexOf(budgets)));
    const insert = (id: string, window: string | null) =>
      sql`insert into budgets (id, budget, budget_window, created_at, updated_at)
        values (${id}, 5, ${window}, 0, 0)`.execute(backend.db);
    await insert("a", "day");
    await insert("b", null);
    expect(String(await rejection(insert("c", "12h")))).toMatch(/check constraint/i);
    expect(await migrateUp(backend, migrations)).toContain(budgets.name);
    await insert("c", "12h");
    expect(String(await rejection(insert("d", "year")))).toMatch(/check constraint/i);
    const rows = await backend.db
      .selectFrom("budgets")
      .select(["id", "budgetWindow", "furtherBudgets"])
      .orderBy("id")
      .execute();
    expect(rows).toEqual([
      { id: "a", budgetWindow: "day", furtherBudgets: "[]" },
      { id: "b", budgetWindow: null, furtherBudgets: "[]" },
      { id: "c", budgetWindow: "12h", furtherBudgets: "[]" },
    ]);
    await backend.close();
  });
});
