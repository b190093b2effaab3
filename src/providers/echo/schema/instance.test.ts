import { describe, expect, test } from "bun:test";
import { schemaInstance } from "./instance.ts";

const cases: readonly [string, unknown, unknown][] = [
  [
    "an object holds what is required and nothing else",
    { type: "object", properties: { a: { type: "integer" }, b: { type: "string" } }, required: ["a"] },
    { a: 0 },
  ],
  ["a list is empty unless a length is asked for", { type: "array", items: { type: "string" } }, []],
  ["a list of a least length", { type: "array", items: { type: "boolean" }, minItems: 2 }, [false, false]],
  [
    "a list of distinct items",
    { type: "array", items: { enum: ["x", "y"] }, minItems: 2, uniqueItems: true },
    ["x", "y"],
  ],
  ["a tuple", { type: "array", prefixItems: [{ type: "null" }, { const: 7 }], minItems: 2 }, [null, 7]],
  ["the first of an enumeration", { enum: ["red", "green"] }, "red"],
  ["a constant", { const: { fixed: true } }, { fixed: true }],
  ["a least length", { type: "string", minLength: 3 }, "aaa"],
  ["a format that is none", { type: "string", format: "constructor" }, ""],
  ["bounds that are none", { allOf: [{ minimum: { toString: "" } }, { type: "integer", minimum: 5 }] }, 5],
  ["a date", { type: "string", format: "date" }, "2024-01-01"],
  ["a least number", { type: "number", minimum: 2.5 }, 2.5],
  ["a whole number above a bound", { type: "integer", exclusiveMinimum: 4 }, 5],
  ["a number between open bounds", { type: "number", exclusiveMinimum: 0, exclusiveMaximum: 1 }, 0.5],
  ["a number below zero", { type: "integer", maximum: -3 }, -3],
  ["a multiple", { type: "integer", minimum: 7, multipleOf: 5 }, 10],
  ["the first of several types", { type: ["integer", "null"] }, 0],
  ["the first option", { anyOf: [{ type: "null" }, { type: "string" }] }, null],
  [
    "an option that adds to its base",
    { type: "object", properties: { a: { const: 1 } }, oneOf: [{ required: ["a"] }, {}] },
    { a: 1 },
  ],
  [
    "all parts together",
    {
      allOf: [
        { type: "object", properties: { a: { const: 1 } }, required: ["a"] },
        { properties: { b: { const: 2 } }, required: ["b"] },
      ],
    },
    { a: 1, b: 2 },
  ],
  [
    "the stricter of two bounds",
    {
      allOf: [
        { type: "integer", minimum: 2 },
        { type: "number", minimum: 5 },
      ],
    },
    5,
  ],
  ["a reference", { $ref: "#/$defs/color", $defs: { color: { enum: ["red"] } } }, "red"],
  [
    "a reference inside `allOf`",
    {
      allOf: [{ $ref: "#/definitions/point" }],
      definitions: { point: { type: "object", properties: { x: { const: 1 } }, required: ["x"] } },
    },
    { x: 1 },
  ],
  [
    "enough properties",
    { type: "object", properties: { a: { const: 1 } }, minProperties: 2, additionalProperties: { const: 0 } },
    { a: 1, property_1: 0 },
  ],
  ["a property without a schema", { type: "object", required: ["any"] }, { any: "" }],
];

describe("schemaInstance", () => {
  for (const [name, schema, expected] of cases) {
    test(`${name}`, () => expect(schemaInstance(schema)).toEqual(expected as never));
  }

  test("recursion ends at the option that does not recur", () => {
    const node = {
      type: "object",
      properties: { value: { type: "integer" }, next: { anyOf: [{ $ref: "#/$defs/node" }, { type: "null" }] } },
      required: ["value", "next"],
    };
    expect(schemaInstance({ $ref: "#/$defs/node", $defs: { node } })).toEqual({ value: 0, next: null });
    const tree = {
      type: "object",
      properties: { left: { anyOf: [{ $ref: "#" }, { type: "null" }] } },
      required: ["left"],
    };
    expect(schemaInstance(tree)).toEqual({ left: null });
  });

  test("a schema that no finite value satisfies has no instance, and is given up soon", () => {
    const endless = { type: "object", properties: { self: { $ref: "#" } }, required: ["self"] };
    expect(schemaInstance(endless)).toBeUndefined();
    expect(schemaInstance({ $ref: "#/$defs/a", $defs: { a: { allOf: [{ $ref: "#/$defs/a" }] } } })).toBeUndefined();
    expect(schemaInstance({ type: "integer", minimum: 5, maximum: 4 })).toBeUndefined();
    expect(schemaInstance({ type: "array", minItems: 1e9 })).toBeUndefined();
  });

  test("the text goes into the first open string, once and within its length", () => {
    const schema = {
      type: "object",
      properties: {
        kind: { enum: ["k"] },
        when: { type: "string", format: "date" },
        city: { type: "string" },
        note: { type: "string" },
      },
      required: ["kind", "when", "city", "note"],
    };
    expect(schemaInstance(schema, "Paris")).toEqual({ kind: "k", when: "2024-01-01", city: "Paris", note: "" });
    expect(schemaInstance({ type: "string", maxLength: 3 }, "Paris")).toBe("Par");
  });

  test("a property named __proto__ is an ordinary property", () => {
    const schema = JSON.parse('{"type":"object","properties":{"__proto__":{"const":1}},"required":["__proto__"]}');
    expect(JSON.stringify(schemaInstance(schema))).toBe('{"__proto__":1}');
  });
});
