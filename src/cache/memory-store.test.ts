import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { newAnswer } from "../../test/cache/new-answer.ts";
import { MemoryStore } from "./memory-store.ts";

const ofBytes = (length: number) => newAnswer({ body: "a".repeat(length) });

/** What an answer takes by itself. */
function sizeOf(length: number): number {
  const store = new MemoryStore(1e6, () => 0);
  store.keep("k1", ofBytes(length));
  return store.sizeNow.bytes;
}

describe("answers in memory", () => {
  test("never take more than their bytes, are given as they were kept, and stay while they are used", async () => {
    const steps = fc.array(
      fc.record({
        key: fc.integer({ min: 0, max: 9 }),
        length: fc.integer({ min: 0, max: 9_000 }),
        read: fc.boolean(),
      }),
      { maxLength: 200 },
    );
    await fc.assert(
      fc.asyncProperty(steps, fc.integer({ min: 0, max: 60_000 }), async (list, bytesMax) => {
        const store = new MemoryStore(bytesMax, () => 0);
        /** Of each key what was kept last, and how many bytes were written since its last use. */
        const model = new Map<string, { readonly length: number; since: number }>();
        for (const [step, { key: number, length, read }] of list.entries()) {
          const key = `k${number}`;
          const known = model.get(key);
          const found = read ? store.find(key) : null;
          if (read) {
            if (found) expect(found).toEqual(ofBytes(known?.length ?? -1));
            else if (known) expect(known.since + sizeOf(known.length)).toBeGreaterThan(bytesMax / 2);
          } else store.keep(key, ofBytes(length));
          // One that was used is written anew where it was old: as if it always were, the others have less to go on.
          const written = read ? (found ? sizeOf(found.body.length) : 0) : sizeOf(length);
          for (const entry of model.values()) entry.since += written;
          if (read && !found) model.delete(key);
          else if (read) model.set(key, { length: found?.body.length ?? 0, since: 0 });
          else if (written <= bytesMax) model.set(key, { length, since: 0 });
          else model.delete(key);
          expect([step, store.sizeNow.bytes <= bytesMax]).toEqual([step, true]);
        }
        // Looking for one may move it, at the cost of another; taking it out does not.
        const { entries, bytes } = store.sizeNow;
        let [present, expected] = [0, 0];
        for (const [key, { length }] of model) {
          const taken = await store.delete([key]);
          present += taken;
          expected += taken * sizeOf(length);
        }
        expect([entries, bytes]).toEqual([present, expected]);
        expect(await store.delete(["k1", "none"])).toBe(0);
        expect(store.sizeNow).toMatchObject({ entries: 0, bytes: 0 });
        store.keep("k1", ofBytes(1));
        await store.clear();
        expect(store.sizeNow).toMatchObject({ entries: 0, bytes: 0 });
      }),
    );
  });

  test("leave when they are the oldest, and not when they were used", () => {
    const store = new MemoryStore(100 * sizeOf(2_000), () => 0);
    for (let number = 0; number < 100; number++) store.keep(`k${number}`, ofBytes(2_000));
    expect(store.sizeNow).toMatchObject({ entries: 100, evicted: 0 });
    expect(store.find("k3")).not.toBeNull();
    for (let number = 100; number < 149; number++) store.keep(`k${number}`, ofBytes(2_000));
    expect(store.find("k3")).not.toBeNull();
    expect(["k2", "k4", "k60", "k148"].map((key) => store.find(key) !== null)).toEqual([false, false, true, true]);
    expect(store.sizeNow.evicted).toBeGreaterThanOrEqual(49);
  });

  test("are given as they were kept, however long and in whatever script", () => {
    const store = new MemoryStore(8 * 1024 ** 2, () => 0);
    const bodies = ["", "grüße €\n\u{1f600}", "ж".repeat(700_000), "a\r\n\n".repeat(900_000), '{"said":"\\ud800"}'];
    // Over the ends of the ring and of its parts, again and again.
    for (let round = 0; round < 40; round++) {
      for (const [index, body] of bodies.entries()) {
        const key = `name:"\n${round}:${index}`;
        const answer = newAnswer({ body, group: 'a\n"group"', estimated: round % 2 === 0 });
        store.keep(key, answer);
        expect(store.find(key)).toEqual(answer);
        expect(store.find(`${round}:${index}`)).toBeNull();
      }
    }
    expect(store.sizeNow.evicted).toBeGreaterThan(100);
  });

  test("are all found by their own keys, and none by another's, while thousands come and go", async () => {
    const store = new MemoryStore(1024 ** 2, () => 0);
    const bodyOf = (number: number) => newAnswer({ body: `the answer to ${number}` });
    for (let number = 0; number < 20_000; number++) {
      store.keep(`k${number}`, bodyOf(number));
      if (number % 7 === 0) await store.delete([`k${number}`]);
    }
    let found = 0;
    for (let number = 0; number < 20_000; number++) {
      const answer = store.find(`k${number}`);
      if (answer) expect(answer.body).toBe(bodyOf(number).body);
      if (number % 7 === 0) expect(answer).toBeNull();
      if (answer) found++;
    }
    expect(found).toBe(store.sizeNow.entries);
    expect(found).toBeGreaterThan(1_000);
  });

  test("are gone when their time is over", async () => {
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
    await store.removeExpired();
    expect(store.sizeNow.entries).toBe(1);
    expect(store.find("c")).not.toBeNull();
  });
});
