import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { newAnswer } from "../../test/cache/new-answer.ts";
import { MemoryStore } from "./memory-store.ts";

const OVERHEAD = 1024;
const ofBytes = (length: number) => newAnswer({ body: "a".repeat(length) });

describe("answers in memory", () => {
  test("never take more than their bytes, count what they take, and keep what was used last", async () => {
    const steps = fc.array(
      fc.record({
        key: fc.integer({ min: 0, max: 9 }),
        length: fc.integer({ min: 0, max: 9_000 }),
        read: fc.boolean(),
      }),
      { maxLength: 200 },
    );
    await fc.assert(
      fc.asyncProperty(steps, fc.integer({ min: 0, max: 30_000 }), async (list, bytesMax) => {
        const store = new MemoryStore(bytesMax, () => 0);
        /** The same by hand: keys in the order of their use. */
        let model: { key: string; length: number }[] = [];
        for (const { key: number, length, read } of list) {
          const key = `k${number}`;
          const known = model.find((entry) => entry.key === key);
          model = model.filter((entry) => entry !== known);
          if (read) {
            expect(store.find(key)?.body.length ?? null).toBe(known?.length ?? null);
            if (known) model.push(known);
          } else {
            store.keep(key, ofBytes(length));
            if (length + OVERHEAD <= bytesMax) model.push({ key, length });
            while (sum(model) > bytesMax) model.shift();
          }
          expect(store.sizeNow).toMatchObject({ entries: model.length, bytes: sum(model) });
          expect(store.sizeNow.bytes).toBeLessThanOrEqual(bytesMax);
        }
        expect(await store.delete(["k1", "k2", "none"])).toBe(
          model.filter(({ key }) => key === "k1" || key === "k2").length,
        );
        await store.clear();
        expect(store.sizeNow).toMatchObject({ entries: 0, bytes: 0 });
      }),
    );
  });

  test("count two bytes for each character of a text that has one beyond ASCII", () => {
    const store = new MemoryStore(1e6, () => 0);
    store.keep("a", newAnswer({ body: `${"a".repeat(99)}€` }));
    expect(store.sizeNow.bytes).toBe(200 + OVERHEAD);
    store.keep("a", newAnswer({ body: "a".repeat(100) }));
    expect(store.sizeNow.bytes).toBe(100 + OVERHEAD);
  });

  test("are gone when their time is over", () => {
    let now = 0;
    const store = new MemoryStore(1e6, () => now);
    store.keep("a", newAnswer({ expiresAtMs: 1_000 }));
    now = 999;
    expect(store.find("a")).not.toBeNull();
    store.keep("b", newAnswer({ expiresAtMs: 1_000 }));
    store.keep("c", newAnswer({ expiresAtMs: 2_000 }));
    now = 1_000;
    expect(store.find("a")).toBeNull();
    expect(store.sizeNow.entries).toBe(2);
    store.removeExpired();
    expect(store.sizeNow.entries).toBe(1);
    expect(store.find("c")).not.toBeNull();
  });
});

const sum = (model: readonly { length: number }[]): number =>
  model.reduce((total, { length }) => total + length + OVERHEAD, 0);
