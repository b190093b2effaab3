import { describe, expect, test } from "bun:test";
import Type from "typebox";
import { GatewayError } from "../contract/errors.ts";
import { compileForm } from "./form-fields.ts";

const read = compileForm(Type.Object({ prompt: Type.Optional(Type.String()) }, { additionalProperties: true }));

describe("what steers the gateway, in a form", () => {
  test("may come in parts as official clients write lists and objects", () => {
    const fields = read([
      ["guardrails[]", "a, b"],
      ["guardrails[]", "7"],
      ["metadata[tags][]", "one"],
      ["metadata[tags][]", "two"],
      ["metadata[user_id]", "12"],
      ["metadata[of][whom]", "x"],
      ["fallbacks[]", "other"],
    ]);
    expect(fields).toEqual({
      guardrails: ["a, b", "7"],
      metadata: { tags: ["one", "two"], user_id: "12", of: { whom: "x" } },
      fallbacks: ["other"],
    });
  });

  test("may be JSON or a text in one part", () => {
    expect(read([["metadata", '{"tags":["one"]}']])).toEqual({ metadata: { tags: ["one"] } });
    expect(read([["guardrails", "a, b"]])).toEqual({ guardrails: "a, b" });
  });

  test.each<[string, string]>([
    ["guardrails", "guardrails[]"],
    ["fallbacks[][model]", "fallbacks[][model]"],
    ["metadata[a]", "metadata[a][b]"],
    ["metadata[]", "metadata[b]"],
  ])("is refused where it could be read in two ways: %s and %s", (first, second) => {
    const fields = [first, second].map((name): [string, string] => [name, "x"]);
    expect(() => read(fields)).toThrow(GatewayError);
  });

  test("has names that objects have already as its own", () => {
    const { metadata } = read([["metadata[__proto__][tags]", "x"]]) as { metadata: object };
    expect([Object.keys(metadata), (metadata as { tags?: unknown }).tags]).toEqual([["__proto__"], undefined]);
  });
});

test("names in brackets that do not steer the gateway stay as they are", () => {
  const fields: [string, string][] = [
    ["chunking_strategy[type]", "server_vad"],
    ["include[]", "logprobs"],
    ["tags[", "x"],
    ["[]", "y"],
  ];
  expect(read(fields)).toEqual({
    "chunking_strategy[type]": "server_vad",
    "include[]": ["logprobs"],
    "tags[": "x",
    "[]": ["y"],
  });
});
