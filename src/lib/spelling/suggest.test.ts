import { expect, test } from "bun:test";
import fc from "fast-check";
import { editDistance, suggest } from "./suggest.ts";

test.each([
  ["api_kye", "api_key"],
  ["API-KEY", "api_key"],
  ["apikey", "api_key"],
  ["rmp", "rpm"],
  ["context_windw_fallback", "context_window_fallbacks"],
  ["x", null],
  ["something_else", null],
])("%s is taken for %s", (word, meant) => {
  expect(suggest(word, ["api_key", "rpm", "context_window_fallbacks"])).toBe(meant);
});

test("the distance is symmetric, zero for equal words only, and right up to the bound where it gives up", () => {
  const word = fc.string({ unit: fc.constantFrom("a", "b", "c"), maxLength: 8 });
  fc.assert(
    fc.property(word, word, fc.nat({ max: 4 }), (a, b, most) => {
      const distance = editDistance(a, b);
      expect(editDistance(b, a)).toBe(distance);
      expect(distance === 0).toBe(a === b);
      expect(editDistance(a, b, most) > most).toBe(distance > most);
    }),
  );
});
