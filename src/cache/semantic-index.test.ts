import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { MemoryIndex, similarity, unitVector } from "./semantic-index.ts";

const vector = (...numbers: number[]): Float32Array => unitVector(numbers) ?? new Float32Array();

describe("vectors", () => {
  test("are as alike as the angle between them says, whatever their length", () => {
    expect(similarity(vector(1, 0), vector(9, 0))).toBe(1);
    expect(similarity(vector(1, 0), vector(0, 2))).toBe(0);
    expect(similarity(vector(1, 1), vector(1, 0))).toBeCloseTo(Math.SQRT1_2, 6);
  });

  test.each([[[]], [[0, 0]], [[Number.NaN]], [[Number.POSITIVE_INFINITY]]])(
    "without a direction are none: %p",
    (numbers) => {
      expect(unitVector(numbers)).toBeNull();
    },
  );
});

/** What every vector takes beside its numbers: else many short ones would take many times what the index may. */
const BESIDE = 512;

describe("an index in memory", () => {
  test("finds the nearest of one bucket, and nothing of another", () => {
    const index = new MemoryIndex(1e6);
    index.add("a", "east", vector(1, 0));
    index.add("a", "north", vector(0, 1));
    index.add("b", "other", vector(1, 0.9));
    expect(index.nearest("a", vector(1, 0.2))).toMatchObject({ key: "east" });
    expect(index.nearest("c", vector(1, 0))).toBeNull();
    index.remove("a", { key: "east" });
    expect(index.nearest("a", vector(1, 0))).toMatchObject({ key: "north", similarity: 0 });
    expect(index.nearest("a", vector(0, 1, 0))).toBeNull();
  });

  test("never takes more than its bytes, nor more than so many in one bucket", async () => {
    const adds = fc.array(fc.tuple(fc.integer({ min: 0, max: 5 }), fc.integer({ min: 0, max: 20 })), {
      maxLength: 100,
    });
    fc.assert(
      fc.property(adds, (list) => {
        const index = new MemoryIndex(10_000);
        for (const [bucket, key] of list) {
          index.add(`b${bucket}`, `k${key}`, vector(1, key));
          expect(index.bytes).toBeLessThanOrEqual(10_000);
          expect(index.bytes % (8 + BESIDE)).toBe(0);
        }
      }),
    );
    const index = new MemoryIndex(1e6);
    for (let at = 0; at < 600; at++) index.add("a", `k${at}`, vector(1, at));
    expect(index.bytes).toBe(512 * (8 + BESIDE));
    expect(index.nearest("a", vector(1, 0))?.key).toBe("k88");
    await index.clear();
    expect([index.bytes, index.nearest("a", vector(1, 0))]).toEqual([0, null]);
  });
});
