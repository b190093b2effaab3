import { expect, test } from "bun:test";
import fc from "fast-check";
import { runs } from "../../test/property-runs.ts";
import { findTopLevel, splice } from "./json-scan.ts";

const read = (text: string, key: string): unknown => {
  const span = findTopLevel(text, key);
  return span ? JSON.parse(text.slice(span.start, span.end)) : undefined;
};

test.each([
  ['{"model":"a"}', "a"],
  ['{"x":{"model":"no"},"model":"a"}', "a"],
  ['{"x":"\\"model\\":\\"no\\"","model":"a"}', "a"],
  ['{"model" : {"b":[1,"}"]} , "y":1}', { b: [1, "}"] }],
  ['{"x":["model"],"model":null}', null],
  ['{"x":"model","model":"a","y\\"model":"no"}', "a"],
  ['{"x":{"model":"no"}}', undefined],
  ['{"x":"model"}', undefined],
  ["{}", undefined],
])("of %s the model is %p", (text, value) => {
  expect(read(text, "model")).toEqual(value as never);
});

test("a key behind megabytes of data is found from the end", () => {
  const text = JSON.stringify({
    data: Array.from({ length: 200_000 }, (_, i) => i / 7),
    model: "m",
    usage: { total_tokens: 3 },
  });
  expect(read(text, "model")).toBe("m");
  expect(read(text, "usage")).toEqual({ total_tokens: 3 });
});

test("what is found is what a parser finds, for any object", () => {
  const value = fc.jsonValue({ maxDepth: 4 });
  const object = fc.dictionary(fc.constantFrom("model", "usage", "data", 'x"y', "mod\\el", ""), value);
  fc.assert(
    fc.property(object, fc.boolean(), (made, spaced) => {
      const text = JSON.stringify(made, null, spaced ? 2 : 0);
      const parsed = JSON.parse(text) as Record<string, unknown>;
      const span = findTopLevel(text, "model");
      if (!span) return expect(Object.hasOwn(parsed, "model")).toBe(false);
      expect(JSON.parse(text.slice(span.start, span.end))).toEqual(parsed.model);
      expect(JSON.parse(splice(text, span, '"new"'))).toEqual({ ...parsed, model: "new" });
    }),
    { numRuns: runs(3_000) },
  );
});

test("text that is no JSON object never makes it throw", () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      findTopLevel(`{"model"${text}`, "model");
      findTopLevel(text, "model");
    }),
  );
});
