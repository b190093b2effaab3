import { expect, test } from "bun:test";
import fc from "fast-check";
import { always, tripped } from "../../../test/upstreams/hostile.ts";
import { GatewayError } from "../../contract/errors.ts";
import { decodeRerank } from "./rerank.ts";

const facts = { id: "rerank-1", createdSeconds: 1, model: "group" };
const decode = (body: unknown) => decodeRerank(body, facts, "Somebody");

test("results come from either list, with documents as text", () => {
  const results = [
    { index: 1, relevance_score: 0.9, document: { text: "b" } },
    { index: 0, relevance_score: 0.1 },
  ];
  expect(decode({ id: "x", results, meta: { a: 1 } })).toEqual({ id: "x", results, meta: { a: 1 } });
  expect(
    decode({
      object: "list",
      data: [
        { index: 1, relevance_score: 0.9, document: "b" },
        { index: 0, relevance_score: 0.1 },
      ],
      usage: { total_tokens: 7 },
    }),
  ).toEqual({ id: "rerank-1", results, meta: { billed_units: { total_tokens: 7 } } });
});

test("an answer that is none is the upstream's failure and nothing else", () => {
  for (const body of [null, [], {}, "x", { results: "x" }, { results: [null] }, { results: [{ index: 0.5 }] }]) {
    expect(() => decode(body)).toThrow(GatewayError);
  }
  const item = fc.record({ index: fc.anything(), relevance_score: fc.anything(), document: fc.anything() });
  fc.assert(
    fc.property(fc.oneof(fc.anything(), fc.record({ results: fc.array(item), usage: fc.anything() })), (body) => {
      try {
        decode(body);
      } catch (thrown) {
        expect(thrown).toBeInstanceOf(GatewayError);
      }
    }),
    always(
      tripped({ id: "x", results: [{ index: 0, score: 1, document: { text: "a" } }], usage: { total_tokens: 1 } }),
    ),
  );
});
