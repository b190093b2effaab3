import { describe, expect, test } from "bun:test";
import { classifyFailure } from "../../providers/classify.ts";
import type { UpstreamFailure } from "../../providers/dialect.ts";
import { relayJson } from "./relay-json.ts";

const PROVIDER = { classify: (failure: UpstreamFailure) => classifyFailure(failure, "Theirs") };
const relay = (text: string, model: string) => relayJson(text, "data", model, PROVIDER);

const large = JSON.stringify({
  object: "list",
  data: Array.from({ length: 50 }, (_, index) => ({ index, embedding: Array.from({ length: 500 }, (_x, i) => i / 7) })),
  model: "theirs",
  usage: { total_tokens: 9 },
});

describe("a relayed answer", () => {
  test.each([
    ["a small one", '{"model":"theirs","data":[],"usage":{"total_tokens":9}}'],
    ["a large one", large],
  ])("carries the caller's model name and tells its usage: %#", (_, text) => {
    const relayed = relay(text, "ours");
    expect(JSON.parse(relayed.text)).toEqual({ ...JSON.parse(text), model: "ours" });
    expect(relayed.usage).toEqual({ total_tokens: 9 });
  });

  test("is otherwise what the upstream wrote, to the last space and digit", () => {
    const text =
      '{ "id": 12345678901234567890, "of": {"model":"inner"}, "model" : "theirs", "p": 1.50, "s": "\\u00e9", "data": [] }\n';
    const { text: relayed } = relay(text, 'o"urs');
    expect(relayed).toBe(text.replace('"theirs"', '"o\\"urs"'));
  });

  test.each([
    ["whose name is not a text", '{"model":null,"data":[]}', { data: [] }],
    ["whose name is written twice", '{"model":"theirs","data":[],"model":"theirs"}', { data: [] }],
    ["whose name is written with an escape", '{"model":"th\\u0065irs","data":[]}', { data: [] }],
    [
      "whose key is written with an escape",
      '{"mod\\u0065l":"theirs","data":[],"of":{"model":"theirs"}}',
      { data: [], of: { model: "theirs" } },
    ],
  ])("%s is named all the same", (_, text, expected) => {
    expect(JSON.parse(relay(text, "ours").text)).toEqual({ model: "ours", ...expected });
  });

  test("without a model gets none", () => {
    expect(relay('{"data":[]}', "ours").text).toBe('{"data":[]}');
  });

  test.each([
    ["<html>"],
    [""],
    ["[]"],
    ["null"],
    ['{"a":'],
    ['"text"'],
    [large.slice(0, -1)],
    [`<html>${"x".repeat(100_000)}`],
  ])("that is no JSON object is an error of the upstream, %#", (text) => {
    expect(() => relay(text, "ours")).toThrow("provider's answer");
  });
});
