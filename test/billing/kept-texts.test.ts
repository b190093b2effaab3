import { expect, test } from "bun:test";
import { callBooks } from "../../src/start/call-books.ts";
import { MemoryBooks } from "../metering/memory-books.ts";

/** Time that passes when it is told to. */
function setUp(failures: number) {
  const [saved, told, due]: [string[], string[], (() => void)[]] = [[], [], []];
  let left = failures;
  const books = callBooks(
    new MemoryBooks(),
    {
      savePrices: async () => undefined,
      spendOf: async () => ({ cost: 0n, requests: 0n, lastAt: null }),
      async saveContents({ id }) {
        if (left-- > 0) throw new Error("away");
        saved.push(id);
      },
    },
    {
      clock: { nowMs: () => 0, monotonicMs: () => 0 },
      log: { error: (fields: object) => told.push(JSON.stringify(fields)) },
      timers: {
        after: (_, work) => {
          due.push(work);
          return () => undefined;
        },
      },
    },
  );
  const pass = async () => {
    await Promise.resolve();
    await Promise.resolve();
    for (const work of due.splice(0)) work();
    await Promise.resolve();
    await Promise.resolve();
  };
  return { books, saved, told, pass };
}

test("what was said in a call is kept although the database was away for a moment", async () => {
  const { books, saved, told, pass } = setUp(2);
  books.keepTexts("call", "{}", null);
  for (let times = 0; times < 3; times++) await pass();
  expect([saved, told]).toEqual([["call"], []]);
});

test("that it could not be kept is told, with the call's id and none of its words", async () => {
  const { books, saved, told, pass } = setUp(9);
  books.keepTexts("call", "what was asked", "what was said");
  for (let times = 0; times < 4; times++) await pass();
  expect(saved).toEqual([]);
  expect(told).toHaveLength(1);
  expect(told[0]).toContain('"callId":"call"');
  expect(told[0]).not.toContain("what was");
});
