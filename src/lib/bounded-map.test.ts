import { expect, test } from "bun:test";
import fc from "fast-check";
import { BoundedMap } from "./bounded-map.ts";

test("what was put in first is forgotten first", () => {
  const map = new BoundedMap<string, number>(2);
  expect([map.set("a", 1), map.set("b", 2), map.set("a", 3)]).toEqual([undefined, undefined, undefined]);
  expect(map.set("c", 4)).toBe(3);
  expect([map.get("a"), map.get("b"), map.get("c")]).toEqual([undefined, 2, 4]);
});

test("there are never more than so many, and what was put in last is there, whatever is deleted", () => {
  const step = fc.record({ key: fc.nat(6), deleted: fc.boolean() });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 4 }), fc.array(step, { maxLength: 60 }), (sizeMax, steps) => {
      const map = new BoundedMap<number, number>(sizeMax);
      for (const [at, { key, deleted }] of steps.entries()) {
        if (deleted) map.delete(key);
        else map.set(key, at);
        expect(map.get(key)).toBe(deleted ? undefined : at);
        expect(map.size).toBeLessThanOrEqual(sizeMax);
      }
    }),
  );
});

test("begins anew once it was cleared", () => {
  const map = new BoundedMap<number, number>(3);
  for (let key = 0; key < 5; key++) map.set(key, key);
  map.clear();
  for (let key = 10; key < 13; key++) expect(map.set(key, key)).toBeUndefined();
  expect([...map.values()]).toEqual([10, 11, 12]);
});
