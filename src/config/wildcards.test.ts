import { expect, spyOn, test } from "bun:test";
import fc from "fast-check";
import { runs } from "../../test/property-runs.ts";
import { CallableNames } from "./fallbacks.ts";

const TEXT = fc.string({ unit: fc.constantFrom("a", "b", "/", ".", "*"), maxLength: 7 });

/** One character after the other. */
function fits(pattern: string, name: string): boolean {
  if (pattern === "") return name === "";
  if (pattern[0] !== "*") return name[0] === pattern[0] && fits(pattern.slice(1), name.slice(1));
  return fits(pattern.slice(1), name) || (name !== "" && fits(pattern, name.slice(1)));
}

test("a name may be called where it is one, or where the stars of one can stand for the rest of it", () => {
  fc.assert(
    fc.property(fc.array(TEXT, { maxLength: 8 }), TEXT, (names, asked) => {
      const expected = names.some((name) => name === asked || (name.includes("*") && fits(name, asked)));
      expect(new CallableNames(names).has(asked)).toBe(expected);
    }),
    { numRuns: runs(2_000) },
  );
});

test.each([
  ["before the star", (index: number) => `maker-${index}/*-*`, (index: number) => `maker-${index}/a-model`],
  ["after the star", (index: number) => `*-*/model-${index}`, (index: number) => `a-maker/model-${index}`],
])("of a thousand patterns that differ %s, a name is compared with those alone that it may fit", (_, pattern, name) => {
  const count = 1_000;
  const names = new CallableNames(Array.from({ length: count }, (_none, index) => pattern(index)));
  const compared = spyOn(String.prototype, "lastIndexOf");
  const indexes = Array.from({ length: count }, (_none, index) => index);
  try {
    const [known, unknown] = [indexes.map((index) => names.has(name(index))), names.has("nobody-1?")];
    const { length } = compared.mock.calls;
    expect([known.every(Boolean), unknown]).toEqual([true, false]);
    expect(length).toBeLessThan(4 * count);
    expect(length).toBeGreaterThanOrEqual(count);
  } finally {
    compared.mockRestore();
  }
});

test("many stars are no regular expression, which would try every way in which they can stand", () => {
  const compared = [spyOn(RegExp.prototype, "test"), spyOn(RegExp.prototype, "exec")];
  const found = new CallableNames(["*a*a*a*z*b"]).has(`${"a".repeat(20)}b`);
  const asked = compared.map(({ mock }) => mock.calls.filter(([text]) => String(text).startsWith("aaaa")).length);
  for (const one of compared) one.mockRestore();
  expect([found, asked]).toEqual([false, [0, 0]]);
});
