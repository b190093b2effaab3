import { expect, test } from "bun:test";
import fc from "fast-check";
import { findOutside, modelsOfBoth } from "./key-models.ts";

/** As the gateway decides it. */
const allows = (list: readonly string[], name: string): boolean =>
  list.length === 0 || list.some((one) => (one.endsWith("*") ? name.startsWith(one.slice(0, -1)) : one === name));

const name = fc.string({ unit: fc.constantFrom("a", "b", "/"), maxLength: 4 });
const list = fc.array(
  fc.tuple(name, fc.constantFrom("", "*")).map(([text, star]) => text + star),
  { maxLength: 4 },
);

test("a key may call exactly what both its own list and its team's allow", () => {
  fc.assert(
    fc.property(list, list, name, (key, team, model) => {
      const both = modelsOfBoth(key, team);
      const allowed = both !== null && allows(both, model);
      expect(allowed).toBe(allows(key, model) && allows(team, model));
    }),
    { numRuns: 2_000 },
  );
});

test("a list without a name outside the team's never allows more than the team's", () => {
  fc.assert(
    fc.property(list, list, name, (key, team, model) => {
      fc.pre(key.length > 0 && findOutside(key, team) === null && allows(key, model));
      expect(allows(team, model)).toBe(true);
    }),
  );
});

test("the name that is outside is told", () => {
  expect(findOutside(["openai/gpt-4o", "other"], ["openai/*"])).toBe("other");
  expect(findOutside(["openai/*"], ["openai/gpt-4o"])).toBe("openai/*");
  expect(findOutside(["openai/gpt-*"], ["openai/*"])).toBeNull();
  expect(findOutside(["anything"], [])).toBeNull();
});
