import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { GatewayError } from "../../contract/errors.ts";
import { modelTraits } from "./model.ts";
import { encodeSchema, toOwnForm } from "./schema.ts";

describe("a schema in Google's own form", () => {
  test("has no word that Google refuses", () => {
    const given = {
      $schema: "x",
      title: "T",
      type: "object",
      additionalProperties: false,
      properties: {
        name: { type: "string", format: "uri", minLength: 1, default: "a" },
        when: { type: "string", format: "date-time" },
        age: { type: ["integer", "null"], exclusiveMinimum: 0, minimum: 1 },
        kind: { const: "cat" },
        size: { enum: ["s", "m"] },
        tags: { type: "array" },
        either: { oneOf: [{ type: "string" }, { type: "number" }, { type: "null" }] },
        maybe: { anyOf: [{ type: "string" }, { type: "null" }], description: "D" },
        both: { type: ["string", "number"] },
        unsure: { type: ["string", "null"], enum: ["y", "n", null] },
        level: { type: "integer", enum: [1, 2], description: "L" },
        version: { const: 3 },
      },
      required: ["name", "gone"],
    };
    expect(toOwnForm(given)).toEqual({
      title: "T",
      type: "OBJECT",
      properties: {
        name: { type: "STRING", minLength: 1 },
        when: { type: "STRING", format: "date-time" },
        age: { type: "INTEGER", nullable: true, minimum: 1 },
        kind: { type: "STRING", format: "enum", enum: ["cat"] },
        size: { type: "STRING", format: "enum", enum: ["s", "m"] },
        tags: { type: "ARRAY", items: { type: "STRING" } },
        either: { nullable: true, anyOf: [{ type: "STRING" }, { type: "NUMBER" }] },
        maybe: { type: "STRING", nullable: true, description: "D" },
        both: { anyOf: [{ type: "STRING" }, { type: "NUMBER" }] },
        unsure: { type: "STRING", nullable: true, format: "enum", enum: ["y", "n"] },
        level: { type: "INTEGER", description: "L (one of 1, 2)" },
        version: { type: "NUMBER", description: "(one of 3)" },
      },
      required: ["name"],
    });
  });

  test("has its references written out, and merged what stands in allOf", () => {
    const given = {
      type: "object",
      definitions: { a: { type: "object", properties: { x: { type: "string" } }, required: ["x"] } },
      properties: {
        one: { $ref: "#/definitions/a", description: "one" },
        two: { allOf: [{ $ref: "#/definitions/a" }] },
        three: {
          allOf: [
            { type: "object", properties: { y: { type: "number" } }, required: ["y"] },
            { properties: { z: { type: "boolean" } } },
          ],
        },
      },
    };
    expect(toOwnForm(given).properties).toEqual({
      one: { type: "OBJECT", description: "one", properties: { x: { type: "STRING" } }, required: ["x"] },
      two: { type: "OBJECT", properties: { x: { type: "STRING" } }, required: ["x"] },
      three: {
        type: "OBJECT",
        properties: { y: { type: "NUMBER" }, z: { type: "BOOLEAN" } },
        required: ["y"],
      },
    });
  });

  test("ends where it contains itself", () => {
    const given = {
      $ref: "#/$defs/node",
      $defs: { node: { type: "object", properties: { next: { $ref: "#/$defs/node" } } } },
    };
    expect(toOwnForm(given)).toEqual({ type: "OBJECT", properties: { next: { type: "OBJECT" } } });
  });

  test("is refused when it would grow without bound", () => {
    const $defs: Record<string, unknown> = { d0: { type: "string" } };
    for (let at = 1; at < 40; at++) {
      const ref = { $ref: `#/$defs/d${at - 1}` };
      $defs[`d${at}`] = { type: "object", properties: { a: ref, b: ref } };
    }
    expect(() => toOwnForm({ $ref: "#/$defs/d39", $defs })).toThrow(GatewayError);
  });

  test("comes from any JSON without another exception", () => {
    const words = fc.constantFrom("type", "properties", "items", "anyOf", "allOf", "enum", "$ref", "required", "x");
    const schemas = fc.letrec((tie) => ({
      node: fc.dictionary(
        words,
        fc.oneof(
          { maxDepth: 3 },
          fc.constantFrom("object", "array", "#", "#/properties/x", 1, null),
          tie("node"),
          tie("list"),
        ),
        { maxKeys: 4 },
      ),
      list: fc.array(tie("node"), { maxLength: 3 }),
    })).node;
    fc.assert(
      fc.property(schemas, (schema) => {
        try {
          toOwnForm(schema as Record<string, unknown>);
        } catch (error) {
          if (!(error instanceof GatewayError)) throw error;
        }
      }),
    );
  });
});

test("JSON Schema passes to models that take it, unless it points outside of $defs", () => {
  const current = modelTraits("gemini-2.5-flash");
  const inside = { type: "object", properties: { a: { $ref: "#/$defs/a" } }, $defs: { a: { type: "string" } } };
  expect(encodeSchema({ $schema: "x", ...inside }, current)).toEqual({ json: inside });
  const runtime = {
    type: "object",
    properties: { a: { $ref: "#/definitions/a" } },
    definitions: { a: { type: "string" } },
  };
  expect(encodeSchema(runtime, current)).toEqual({ own: { type: "OBJECT", properties: { a: { type: "STRING" } } } });
});
