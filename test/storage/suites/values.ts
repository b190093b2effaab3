import { beforeAll, describe, expect, test } from "bun:test";
import { sql } from "kysely";
import { AT } from "../new-records.ts";
import type { StoreBench } from "../store-bench.ts";

/** What every column type gives back, whichever database it is in. */
export function valueSuite(bench: StoreBench): void {
  describe("values", () => {
    const EXACT = 2n ** 63n - 1n;

    beforeAll(async () => {
      await bench.backend.withoutTimeLimit(async (db) => {
        await db.schema
          .createTable("scratch")
          .addColumn("amount", "bigint")
          .addColumn("small", "integer")
          .addColumn("flag", "boolean")
          .addColumn("ratio", "double precision")
          .addColumn("seen_at", "bigint")
          .addColumn("free_until", "bigint")
          .addColumn("at", "bigint")
          .execute();
      });
    });

    test("64-bit integers are exact, and each type is the same in both databases", async () => {
      const db = bench.backend.db.withTables<{
        scratch: {
          amount: bigint;
          small: number;
          flag: boolean;
          ratio: number;
          seenAt: number | null;
          freeUntil: number | null;
          at: number | null;
        };
      }>();
      const row = { amount: EXACT, small: -7, flag: true, ratio: 0.5, seenAt: AT, freeUntil: AT + 1, at: AT + 2 };
      const returned = await db.insertInto("scratch").values(row).returningAll().executeTakeFirstOrThrow();
      expect(returned).toEqual(row);
      const other = { amount: -EXACT, small: 0, flag: false, ratio: 2, seenAt: null, freeUntil: null, at: null };
      await db.insertInto("scratch").values(other).execute();
      expect(await db.selectFrom("scratch").selectAll().orderBy("amount").execute()).toEqual([other, row]);
    });

    test("counts and sums are bigint and leave the range of doubles intact", async () => {
      const db = bench.backend.db.withTables<{ scratch: { amount: bigint } }>();
      const row = await db
        .selectFrom("scratch")
        .select([
          db.fn.countAll<bigint>().as("rows"),
          db.fn.sum<bigint>("amount").as("total"),
          db.fn.max("amount").as("most"),
        ])
        .executeTakeFirstOrThrow();
      expect(row).toEqual({ rows: 2n, total: 0n, most: EXACT });
    });

    test("an update says how many rows it met", async () => {
      const db = bench.backend.db.withTables<{ scratch: { amount: bigint; small: number } }>();
      const result = await db.updateTable("scratch").set({ small: 1 }).where("amount", ">", 0n).executeTakeFirst();
      expect(result.numUpdatedRows).toBe(1n);
    });

    test("bytes come back as bytes", async () => {
      const bytes = new Uint8Array([0, 1, 254, 255]);
      const type = sql.raw(bench.kind === "sqlite" ? "blob" : "bytea");
      const { rows } = await sql`select cast(${bytes} as ${type}) as content`.execute(bench.backend.db);
      expect(rows).toEqual([{ content: bytes }]);
    });
  });
}
