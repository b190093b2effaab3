import { expect, test } from "bun:test";
import { BoundedMap } from "./bounded-map.ts";

test("keeps the newest entries and never more than its size", () => {
  const map = new BoundedMap<string, number>(3);
  for (const [index, name] of ["a", "b", "c", "d"].entries()) map.set(name, index);
  map.set("d", 9);
  expect(map.size).toBe(3);
  expect(["a", "b", "c", "d"].map((name) => map.get(name))).toEqual([undefined, 1, 2, 9]);
});
