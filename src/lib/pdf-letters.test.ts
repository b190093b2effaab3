import { expect, test } from "bun:test";
import fc from "fast-check";
import { toLetters } from "./pdf-letters.ts";

/** What is marked stands between `{` and `}`. */
const shown = (text: string): string => {
  const { text: letters, isMarked } = toLetters(text);
  return Array.from(letters, (one, at) => {
    const [before, here, after] = [isMarked[at - 1] ?? false, isMarked[at], isMarked[at + 1] ?? false];
    return `${here && !before ? "{" : ""}${one}${here && !after ? "}" : ""}`;
  }).join("");
};

test.each([
  ["Example (Ltd) \\ 100%", "Example (Ltd) \\ 100%"],
  ["Müller & Søn, Ærø", "Müller & Søn, Ærø"],
  ["5 € – „so“", "5 \x80 \x96 \x84so\x93"],
  ["Żółć GmbH", "{Z}ó{lc} GmbH"],
  ["Cafe\u0301", "Café"],
  ["株式会社", "{[U+682A U+5F0F U+4F1A U+793E]}"],
  ["ООО Ромашка", "{OOO} {Romashka}"],
  ["Ελλάδα", "{Ellada}"],
  ["a\nb\r\n\tc\u2028d ", "a b c d"],
  ["a\u202eb\u0000c\u00add\u200b", "a{[U+202E]}b{[U+0000]}c{[U+00AD]}d{[U+200B]}"],
  ["😀", "{[U+1F600]}"],
  ["\ud800", "{[U+D800]}"],
  ["", ""],
])("%p is written %p", (text, wanted) => {
  expect(shown(text)).toBe(wanted);
});

test("whatever the text, each letter is one that the fonts have, and nothing but blanks disappears", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      const { text: letters, isMarked } = toLetters(text);
      expect(letters).toMatch(/^[\x20-\x7e\x80\x82-\x8c\x8e\x91-\x9c\x9e-\x9f\xa1-\xac\xae-\xff]*$/);
      expect(isMarked).toHaveLength(letters.length);
      expect(letters === "").toBe(text.trim() === "");
    }),
  );
});
