import { expect, test } from "bun:test";
import fc from "fast-check";
import { always, tripped } from "../../../test/upstreams/hostile.ts";
import { GatewayError } from "../../contract/errors.ts";
import { openAiLike } from "./table.ts";

const voyage = openAiLike.find(({ id }) => id === "voyage");
const facts = { id: "x", createdSeconds: 1, model: "group" };
const decode = (body: unknown) => voyage?.embedding?.decode?.(body, { model: "g", input: "x" }, facts);

test("a usage that is only a total counts as the prompt's", () => {
  expect(
    decode({
      object: "list",
      data: [{ object: "embedding", embedding: [0.5, 1], index: 0 }],
      model: "voyage-3.5",
      usage: { total_tokens: 9 },
    }),
  ).toEqual({
    object: "list",
    model: "group",
    data: [{ object: "embedding", index: 0, embedding: [0.5, 1] }],
    usage: { prompt_tokens: 9, total_tokens: 9 },
  });
});

test("an absurd usage counts as nothing", () => {
  for (const total_tokens of [-1, 0.5, "9", null, Number.MAX_VALUE]) {
    expect(decode({ data: [], usage: { total_tokens } })?.usage.total_tokens).toBe(0);
  }
});

test("an answer that is none is the upstream's failure and nothing else", () => {
  const item = fc.record({ embedding: fc.anything(), index: fc.anything() });
  fc.assert(
    fc.property(fc.oneof(fc.anything(), fc.record({ data: fc.array(item), usage: fc.anything() })), (body) => {
      try {
        decode(body);
      } catch (thrown) {
        expect(thrown).toBeInstanceOf(GatewayError);
      }
    }),
    always(tripped({ data: [{ embedding: [1], index: 0 }], usage: { total_tokens: 1 } })),
  );
});
