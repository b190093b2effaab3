import { expect, test } from "bun:test";
import fc from "fast-check";
import { runs } from "../../test/property-runs.ts";
import { parseJson } from "./json.ts";

/** Longer than what is cut out, and all together longer than what is parsed in any other way. */
const LONG = "word ".repeat(5_000);
const PADDING = `"${"x".repeat(70_000)}"`;

const strings = fc.oneof(
  fc.constantFrom(LONG, `${LONG}\n`, `"${LONG}`, `${LONG}\\`, `${LONG}\u0000`, `${LONG}{}[],:`, "short", ""),
  fc.string({ unit: "grapheme-ascii" }),
);
const values = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    strings,
    fc.constantFrom(null, true, 1.5),
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(
      strings.filter((name) => name !== "__proto__"),
      tie("value"),
      { maxKeys: 4 },
    ),
  ),
})).value;

const outcome = (parse: () => unknown) => {
  try {
    return { value: parse() };
  } catch (thrown) {
    return { fault: String(thrown) };
  }
};

test("what is parsed without its long strings is what the parser makes of the whole text", () => {
  fc.assert(
    fc.property(values, fc.constantFrom(undefined, 1, "\t"), (value, space) => {
      const text = `[${PADDING},${JSON.stringify(value, null, space)}]`;
      expect(parseJson(text, true)).toEqual(JSON.parse(text));
    }),
    { numRuns: runs(200) },
  );
});

test("a text with a fault is refused as the parser refuses the whole of it", () => {
  const change = fc.record({
    at: fc.nat(),
    gone: fc.nat(2),
    put: fc.constantFrom("", '"', "\\", ",", "]", "}", "\n", "7"),
  });
  fc.assert(
    fc.property(values, fc.array(change, { minLength: 1, maxLength: 3 }), (value, changes) => {
      let text = `[${PADDING},${JSON.stringify(value)}]`;
      for (const { at, gone, put } of changes) {
        // Half of the places lie near the end, where the form is; the rest lie mostly within long strings.
        const place = at % 2 === 0 ? at % text.length : text.length - 1 - (at % 40);
        text = text.slice(0, place) + put + text.slice(place + gone);
      }
      const parsed = outcome(() => parseJson(text, true));
      expect(parsed).toEqual(outcome(() => JSON.parse(text)));
    }),
    { numRuns: runs(300) },
  );
});

test("a text that is nothing but a long string is that string", () => {
  expect(parseJson(PADDING, true)).toBe(JSON.parse(PADDING));
});
