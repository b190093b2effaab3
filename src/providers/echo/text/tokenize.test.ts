import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { countTokens, tokenize } from "./tokenize.ts";

describe("tokenize", () => {
  test("the pieces of any text joined are the text, lone surrogates included", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.integer({ min: 0, max: 0xffff }).map((c) => String.fromCharCode(c)) }),
        (text) => {
          expect(tokenize(text).join("")).toBe(text);
        },
      ),
    );
    fc.assert(fc.property(fc.string({ unit: "grapheme" }), (text) => tokenize(text).join("") === text));
  });

  test("no piece is longer than a space and six characters", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) =>
        tokenize(text).every((piece) => Array.from(piece).length <= 7),
      ),
    );
  });

  test("a piece never splits a pair of surrogates", () => {
    const pieces = tokenize("🦊".repeat(20));
    expect(pieces.every((piece) => piece.isWellFormed())).toBe(true);
  });

  test("words keep the space before them, long ones are split, numbers go in threes", () => {
    expect(tokenize("Hello big world, 12345!")).toEqual(["Hello", " big", " world", ",", " 123", "45", "!"]);
    expect(tokenize(" internationally")).toEqual([" intern", "ationa", "lly"]);
  });

  test("the count is the number of pieces", () => {
    expect(countTokens("")).toBe(0);
    expect(countTokens("one two")).toBe(2);
  });
});
