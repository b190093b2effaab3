import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { countStars, fillWildcard, matchWildcard, moreExactFirst } from "./wildcard.ts";

/** The same as an expression, for patterns that are short enough not to matter. */
function oracle(pattern: string, name: string): string[] | null {
  const source = pattern.replace(/[.+?^${}()|[\]\\]/g, "\\$&").replaceAll("*", "([\\s\\S]*)");
  return new RegExp(`^${source}$`).exec(name)?.slice(1) ?? null;
}

const letters = fc.string({ unit: fc.constantFrom("a", "b", "/", "-", "."), maxLength: 12 });
const patterns = fc.array(letters, { minLength: 1, maxLength: 4 }).map((parts) => parts.join("*"));

describe("a pattern", () => {
  test.each([
    ["openai/*", "openai/gpt-4o", ["gpt-4o"]],
    ["openai/*", "openai/", [""]],
    ["openai/*", "xopenai/gpt", null],
    ["*", "", [""]],
    ["*-mini", "gpt-4o-mini", ["gpt-4o"]],
    ["*-mini", "gpt-4o-mini-tts", null],
    ["*/*", "openrouter/openai/gpt", ["openrouter/openai", "gpt"]],
    ["a*a", "a", null],
    ["a.c*", "abcd", null],
    ["(*)", "(x)", ["x"]],
    ["plain", "plain", []],
    ["plain", "plai", null],
  ])("%p and %p", (pattern, name, captures) => {
    expect(matchWildcard(pattern, name)).toEqual(captures);
  });

  test("matches and captures as the anchored, greedy expression does", () => {
    fc.assert(
      fc.property(patterns, letters, (pattern, name) => {
        expect(matchWildcard(pattern, name)).toEqual(oracle(pattern, name));
      }),
    );
  });

  test("filled with what it captured is the name again", () => {
    fc.assert(
      fc.property(patterns, fc.array(letters, { minLength: 4, maxLength: 4 }), (pattern, texts) => {
        const name = fillWildcard(pattern, texts.slice(0, countStars(pattern)));
        const captures = matchWildcard(pattern, name);
        expect(captures).not.toBeNull();
        expect(fillWildcard(pattern, captures ?? [])).toBe(name);
      }),
    );
  });

  test("with many stars is done with a hostile name, for which trying every way would take years", () => {
    expect(matchWildcard("*a*a*a*a*a*a*a*a*b", "a".repeat(500))).toBeNull();
  });

  test("is tried before another that is shorter or has less punctuation", () => {
    const order = ["*", "openai/*", "openai/gpt-*", "openaixgptx*"].sort(moreExactFirst);
    expect(order).toEqual(["openai/gpt-*", "openaixgptx*", "openai/*", "*"]);
  });

  test("puts nothing but the captured text in place of a star", () => {
    expect(fillWildcard("a-*-b", ["$&$1"])).toBe("a-$&$1-b");
    expect(fillWildcard("*+*", ["x*y", "z"])).toBe("x*y+z");
  });
});
