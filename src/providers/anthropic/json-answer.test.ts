import { describe, expect, test } from "bun:test";
import { nativeSchema } from "./native-schema.ts";
import { encodedBody } from "./test-request.ts";

const schema = { type: "object", properties: { name: { type: "string" } }, required: ["name"] };
const response_format = { type: "json_schema", json_schema: { name: "person", schema, strict: true } };
const dictionary = { type: "object", additionalProperties: { type: "number" } };
const tool = { type: "function", function: { name: "f" } };
const OLDER = "claude-sonnet-4-20250514";
const NEWER = "claude-sonnet-4-5";
const UNFORCEABLE = "claude-opus-5-5";

const forSchema = (given: object, model: string, fields = {}) =>
  encodedBody({ response_format: { type: "json_schema", json_schema: { schema: given } }, ...fields }, model);

test("a model with a format of its own gets the schema in it, with every object closed", () => {
  const body = encodedBody({ response_format }, NEWER);
  expect(body.output_config).toEqual({
    format: { type: "json_schema", schema: { ...schema, additionalProperties: false } },
  });
  expect(body.tools).toBeUndefined();
});

test("an older model is made to call a tool with that schema", () => {
  const body = encodedBody({ response_format }, OLDER);
  expect(body.tools).toMatchObject([{ name: "json_tool_call", input_schema: schema }]);
  expect(body.tool_choice).toEqual({ type: "tool", name: "json_tool_call", disable_parallel_tool_use: true });
});

test("beside the caller's tools the model may call one of them or answer", () => {
  const body = encodedBody({ response_format, tools: [tool] }, OLDER);
  expect(body.tools).toMatchObject([{ name: "f" }, { name: "json_tool_call" }]);
  expect(body.tool_choice).toEqual({ type: "any" });
  const none = encodedBody({ response_format, tools: [tool], tool_choice: "none" }, OLDER);
  expect(none.tool_choice).toMatchObject({ type: "tool", name: "json_tool_call" });
});

test("a tool that has to be called leaves no place for an answer in JSON", () => {
  const body = encodedBody({ response_format, tools: [tool], tool_choice: "required" }, OLDER);
  expect(body.tools).toHaveLength(1);
  expect(body.tool_choice).toEqual({ type: "any" });
});

test("a schema that the format cannot express goes to the tool", () => {
  const body = forSchema(dictionary, NEWER);
  expect(body.output_config).toBeUndefined();
  expect(body.tools).toMatchObject([{ name: "json_tool_call", input_schema: dictionary }]);
});

test("a model that cannot be forced, or that is told to think, gets a sentence", () => {
  const sentence = (body: Record<string, unknown>) => JSON.stringify(body.system);
  expect(sentence(forSchema(dictionary, UNFORCEABLE))).toContain("additionalProperties");
  expect(sentence(encodedBody({ response_format: { type: "json_object" } }, UNFORCEABLE))).toContain("one object");
  const thinking = { type: "enabled", budget_tokens: 1024 };
  const body = encodedBody({ response_format, thinking }, OLDER);
  expect(sentence(body)).toContain("JSON schema");
  expect(body.tools).toBeUndefined();
});

test("a schema that is a choice of several gets a sentence: no tool may have it as its input", () => {
  const either = { anyOf: [dictionary, { type: "object", properties: { gone: { type: "boolean" } } }] };
  for (const model of [OLDER, NEWER]) {
    const body = forSchema(either, model);
    expect(body.tools).toBeUndefined();
    expect(JSON.stringify(body.system)).toContain("anyOf");
  }
});

test("any JSON object is asked for by a tool with an open schema", () => {
  const body = encodedBody({ response_format: { type: "json_object" } }, NEWER);
  expect(body.tools).toMatchObject([{ name: "json_tool_call", input_schema: { additionalProperties: true } }]);
});

test("text is no format, and a schema that is missing is refused", () => {
  expect(encodedBody({ response_format: { type: "text" } })).toEqual(encodedBody({}));
  expect(() => encodedBody({ response_format: { type: "json_schema" } })).toThrow("json_schema.schema");
});

describe("a schema for Anthropic's own format", () => {
  test("has its limits in words, at every depth", () => {
    expect(
      nativeSchema({
        type: "object",
        properties: {
          age: { type: "integer", description: "In years", minimum: 0, maximum: 150 },
          tags: { type: "array", items: { type: "string", maxLength: 9 }, maxItems: 3 },
          either: { oneOf: [{ $ref: "#/$defs/point" }, { type: "string", format: "date" }] },
        },
        $defs: { point: { type: "object", properties: { x: { type: "number", format: "double" } } } },
      }),
    ).toEqual({
      type: "object",
      properties: {
        age: { type: "integer", description: "In years (minimum: 0, maximum: 150)" },
        tags: { type: "array", items: { type: "string", description: "(maxLength: 9)" }, description: "(maxItems: 3)" },
        either: { anyOf: [{ $ref: "#/$defs/point" }, { type: "string", format: "date" }] },
      },
      $defs: {
        point: {
          type: "object",
          properties: { x: { type: "number", description: '(format: "double")' } },
          additionalProperties: false,
        },
      },
      additionalProperties: false,
    });
  });

  test("has patterns that are not taken in words", () => {
    const hard = ["^(?!\\.)\\w+@", "(?<=a)b", "(a)\\1", "\\bword\\b"];
    for (const pattern of hard) {
      const description = `(pattern: ${JSON.stringify(pattern)})`;
      expect(nativeSchema({ type: "string", pattern })).toEqual({ type: "string", description });
    }
    for (const pattern of ["^[A-Z]{2}\\d+$", "(?:a|b)"]) {
      expect(nativeSchema({ type: "string", pattern })).toEqual({ type: "string", pattern });
    }
  });

  test("does not exist where it would mean something else", () => {
    const inside = (part: object) => nativeSchema({ type: "object", properties: { part } });
    const objects = ["a", "b"].map((name) => ({ type: "object", properties: { [name]: { type: "string" } } }));
    expect(inside({ allOf: objects })).toBeNull();
    expect(inside({ allOf: [{ $ref: "#/$defs/a" }], description: "D" })).toBeNull();
    expect(inside({ allOf: [{ type: "string" }] })).not.toBeNull();
    expect(inside({ type: "object" })).toBeNull();
    expect(inside({ type: "object", properties: {}, additionalProperties: true })).toBeNull();
    expect(inside({ type: "array", prefixItems: [] })).toBeNull();
    expect(inside({ not: { type: "string" } })).toBeNull();
    expect(inside({ type: "array", items: { $ref: "#" } })).toBeNull();
    const $defs = {
      tree: { type: "object", properties: { kids: { type: "array", items: { $ref: "#/$defs/branch" } } } },
      branch: { type: "object", properties: { tree: { $ref: "#/$defs/tree" } } },
    };
    expect(nativeSchema({ type: "object", properties: { root: { $ref: "#/$defs/tree" } }, $defs })).toBeNull();
  });

  test("survives names that every object has, and texts that are none", () => {
    const $defs = { a: { $ref: "#/$defs/constructor" } };
    expect(nativeSchema({ $ref: "#/$defs/__proto__", $defs })).toEqual({ $ref: "#/$defs/__proto__", $defs });
    const odd = { type: "string", minLength: 1, description: { toString: "" }, format: { toString: 1 } };
    expect(nativeSchema(odd)).toEqual({ type: "string", description: '(minLength: 1, format: {"toString":1})' });
  });
});
