import { describe, expect, test } from "bun:test";
import { type JsonColumns, jsonRows } from "../../../src/storage/json-rows.ts";
import { SqlText, statement } from "../../../src/storage/statement.ts";
import type { StoreBench } from "../store-bench.ts";

/** What every statement guarantees whose text is put together once. */
export function statementSuite(bench: StoreBench): void {
  describe("a statement that is run again", () => {
    const NUMBERS = { name: "text", amount: "bigint" } as const;
    const UP = new SqlText("asc");
    const DOWN = new SqlText("desc");
    const list = async (
      columns: JsonColumns,
      rows: readonly Record<string, unknown>[],
      order: SqlText,
      above: number,
    ) =>
      (
        await statement<{ name: string; amount: bigint }>`
          select r.name, r.amount from ${jsonRows(columns, rows)} where r.amount > ${above} order by r.amount ${order}`.execute(
          bench.backend.db,
        )
      ).rows;

    test("has the values and rows of each time", async () => {
      const many = Array.from({ length: 3 }, (_, at) => ({
        name: `n${at} 'Größe 🚀'`,
        amount: 2n ** 62n + BigInt(at),
      }));
      expect(await list(NUMBERS, many, UP, 0)).toEqual(many);
      expect(await list(NUMBERS, many.slice(1), UP, 0)).toEqual(many.slice(1));
      expect(await list(NUMBERS, [{ name: "a", amount: 5n }], UP, 5)).toEqual([]);
      expect(await list(NUMBERS, [], UP, 0)).toEqual([]);
    });

    test("reads as its pieces and columns say now", async () => {
      const rows = [
        { name: "a", amount: 1n, more: true },
        { name: "b", amount: 2n, more: false },
      ];
      const names = async (columns: JsonColumns, order: SqlText) =>
        (await list(columns, rows, order, 0)).map(({ name }) => name);
      expect(await names(NUMBERS, UP)).toEqual(["a", "b"]);
      expect(await names(NUMBERS, DOWN)).toEqual(["b", "a"]);
      expect(await names({ more: "boolean", ...NUMBERS }, DOWN)).toEqual(["b", "a"]);
      expect(await names(NUMBERS, UP)).toEqual(["a", "b"]);
    });
  });
}
