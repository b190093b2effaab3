import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { newAnswer } from "../../test/cache/new-answer.ts";
import { runs } from "../../test/property-runs.ts";
import { MemoryStore } from "./memory-store.ts";

const UNIT_BYTES = 64;
const TEXTS_MAX = 3;

interface Written {
  readonly key: string;
  readonly length: number;
  readonly endsAtMs: number;
  readonly at: number;
  readonly units: number;
}

const answerOf = ({ length, endsAtMs }: Pick<Written, "length" | "endsAtMs">) =>
  newAnswer({ body: "a".repeat(length), expiresAtMs: endsAtMs });

function unitsOf(key: string, text: Pick<Written, "length" | "endsAtMs">): number {
  const store = new MemoryStore(1e6, () => -1);
  store.keep(key, answerOf(text));
  return store.sizeNow.bytes / UNIT_BYTES;
}

/** The store as a list: what was written, the oldest first, and of each key which of them holds. Nothing is swept. */
class PlainStore {
  private written: Written[] = [];
  private readonly holding = new Map<string, Written>();
  private end = 0;

  constructor(private readonly units: number) {}

  keep(key: string, text: Pick<Written, "length" | "endsAtMs">): void {
    this.holding.delete(key);
    const units = unitsOf(key, text);
    if (units > this.units) return;
    const one = { ...text, key, units, at: this.end };
    this.end += units;
    this.written.push(one);
    const [gone, stays] = [this.written.filter((o) => this.hasLeft(o)), this.written.filter((o) => !this.hasLeft(o))];
    for (const left of gone) if (this.holding.get(left.key) === left) this.holding.delete(left.key);
    this.written = stays;
    this.holding.set(key, one);
  }

  find(key: string, nowMs: number): Written | null {
    const one = this.holding.get(key);
    if (!one) return null;
    if (one.endsAtMs <= nowMs) this.holding.delete(key);
    else if ((this.end - one.at) % this.units > this.units / 2) this.keep(key, one);
    return one.endsAtMs <= nowMs ? null : one;
  }

  delete(key: string): void {
    this.holding.delete(key);
  }

  clear(): void {
    [this.written, this.end] = [[], 0];
    this.holding.clear();
  }

  /** Those that hold and whose time is not over by then. */
  lasting(nowMs: number): { entries: number; bytes: number } {
    const some = [...this.holding.values()].filter(({ endsAtMs }) => endsAtMs > nowMs);
    return { entries: some.length, bytes: some.reduce((sum, { units }) => sum + units * UNIT_BYTES, 0) };
  }

  private hasLeft({ at }: Written): boolean {
    // Whole texts leave, and only as many as have to.
    return at < this.end - this.units;
  }
}

const step = fc.record({
  what: fc.constantFrom("keep", "keep", "keep", "find", "find", "delete", "clear", "wait", "pause", "pause"),
  key: fc.integer({ min: 0, max: 14 }).map((number) => `k${number}`),
  length: fc.integer({ min: 0, max: 900 }),
  ms: fc.integer({ min: 1, max: 40 }),
});

describe("a sweep of answers in memory", () => {
  test("takes all whose time was over and nothing else, whatever comes, goes and is cleared between its steps", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 150 }), fc.integer({ min: 0, max: 8_000 }), async (steps, bytes) => {
        let now = 0;
        let next = 0;
        const model = new PlainStore(Math.floor(bytes / UNIT_BYTES));
        /** What calls do until the sweep goes on. */
        const pause = async (): Promise<void> => {
          for (; next < steps.length; next++) {
            const { what, key, length, ms } = steps[next] as (typeof steps)[number];
            if (what === "pause") {
              next++;
              return;
            }
            const text = { length, endsAtMs: now + ms };
            if (what === "keep") {
              store.keep(key, answerOf(text));
              model.keep(key, text);
            } else if (what === "find") {
              const known = model.find(key, now);
              expect(store.find(key)).toEqual(known && answerOf(known));
            } else if (what === "delete") {
              await store.delete([key]);
              model.delete(key);
            } else if (what === "clear") {
              await store.clear();
              model.clear();
            } else now += ms;
          }
        };
        const store = new MemoryStore(bytes, () => now, { textsMax: TEXTS_MAX, pause });
        while (next < steps.length) {
          const begun = now;
          await store.removeExpired();
          const { entries } = store.sizeNow;
          expect(entries).toBeGreaterThanOrEqual(model.lasting(now).entries);
          expect(entries).toBeLessThanOrEqual(model.lasting(begun).entries);
          await pause();
        }
        await store.removeExpired();
        expect(store.sizeNow).toMatchObject(model.lasting(now));
      }),
      { numRuns: runs(500) },
    );
  });

  test("that was begun before all was cleared touches nothing that was kept since, in the same places", async () => {
    let now = 0;
    let store: MemoryStore;
    const keepTen = (endsAtMs: number) => {
      for (let number = 0; number < 10; number++) store.keep(`k${number}`, newAnswer({ expiresAtMs: endsAtMs }));
    };
    let pauses = 0;
    const pause = async () => {
      if (++pauses > 1) return;
      await store.clear();
      keepTen(99);
    };
    store = new MemoryStore(1e5, () => now, { textsMax: 3, pause });
    keepTen(10);
    now = 10;
    await store.removeExpired();
    expect(store.sizeNow.entries).toBe(10);
  });

  test("looks at no more in one step than it may, and comes to an end while others add", async () => {
    let now = 0;
    let store: MemoryStore;
    const taken: number[] = [];
    let before = 1_000;
    const pause = async () => {
      taken.push(before - store.sizeNow.entries);
      store.keep(`later ${taken.length}`, newAnswer({ expiresAtMs: 100 }));
      before = store.sizeNow.entries;
    };
    store = new MemoryStore(1e6, () => now, { textsMax: 30, pause });
    for (let number = 0; number < 1_000; number++) store.keep(`k${number}`, newAnswer({ expiresAtMs: 10 }));
    now = 10;
    await store.removeExpired();
    expect(taken.slice(0, 33)).toEqual(Array(33).fill(30));
    expect(taken.slice(33)).toEqual([10]);
    expect(store.sizeNow.entries).toBe(34);
  });
});
