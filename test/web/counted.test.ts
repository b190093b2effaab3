import { expect, test } from "bun:test";
import { counted } from "../../web/src/components/counted.ts";

test.each([
  [0, "0 answers"],
  [1, "1 answer"],
  [2, "2 answers"],
])("%p is counted as %p", (count, words) => {
  expect(counted(count, "answer")).toBe(words);
});

test("words with a plural of their own have it", () => {
  expect(counted(1, "more is", "more are")).toBe("1 more is");
  expect(counted(5, "more is", "more are")).toBe("5 more are");
});
