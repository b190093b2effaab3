import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { splitCode } from "../../web/src/components/split-code.ts";

const codeOf = (text: string): string[] => splitCode(text).flatMap(({ isCode, text: code }) => (isCode ? [code] : []));

describe("code in what a model says", () => {
  test("is told from the text around it, with its fences", () => {
    expect(splitCode("Do this:\n```sh\nls\n```\nThen that.")).toEqual([
      { isCode: false, text: "Do this:" },
      { isCode: true, text: "```sh\nls\n```" },
      { isCode: false, text: "Then that." },
    ]);
    expect(codeOf("1. Do this:\n   ~~~\n   ls\n   ~~~\n2. Done.")).toEqual(["   ~~~\n   ls\n   ~~~"]);
    expect(codeOf("```\na\n```\n```\nb\n```")).toEqual(["```\na\n```", "```\nb\n```"]);
  });

  test("may hold other fences, and is still open while it comes", () => {
    expect(codeOf("````md\n```js\n1\n```\n~~~\n````\nover")).toEqual(["````md\n```js\n1\n```\n~~~\n````"]);
    expect(codeOf("So:\n```ts\nconst a")).toEqual(["```ts\nconst a"]);
  });

  test("is no other text: a line in marks of its own, or none at all", () => {
    for (const text of ["", "a `b` c", "``two``", "```three```\nmore", "\n\n", "1. one\n   - two"]) {
      expect(splitCode(text)).toEqual([{ isCode: false, text }]);
    }
  });

  test("leaves every character where it was", () => {
    const line = fc.constantFrom("```", "```js", "  ```", "````", "~~~", "text", "", " indented", "` `` ```");
    fc.assert(
      fc.property(fc.array(line), (lines) => {
        const text = lines.join("\n");
        expect(
          splitCode(text)
            .map((piece) => piece.text)
            .join("\n"),
        ).toBe(text);
      }),
    );
  });
});
