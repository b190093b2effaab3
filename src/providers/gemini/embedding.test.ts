import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { always, tripped } from "../../../test/upstreams/hostile.ts";
import { GatewayError } from "../../contract/errors.ts";
import { gemini } from "./provider.ts";
import { bodyOf, facts, fixture, target } from "./test-gemini.ts";

const dialect = () => {
  if (!gemini.embedding?.decode) throw new Error("no embedding");
  return { encode: gemini.embedding.encode, decode: gemini.embedding.decode };
};
const to = target({ upstreamModel: "gemini-embedding-001" });

describe("embeddings", () => {
  test("of one text go to embedContent", () => {
    const sent = dialect().encode({ model: "m", input: "a", dimensions: 3, task_type: "RETRIEVAL_QUERY" } as never, to);
    expect(sent.url).toEndWith("/v1beta/models/gemini-embedding-001:embedContent");
    expect(bodyOf(sent)).toEqual({
      model: "models/gemini-embedding-001",
      content: { parts: [{ text: "a" }] },
      outputDimensionality: 3,
      taskType: "RETRIEVAL_QUERY",
    });
  });

  test("of several texts go to batchEmbedContents", () => {
    const sent = dialect().encode({ model: "m", input: ["a", "b"] }, to);
    expect(sent.url).toEndWith(":batchEmbedContents");
    expect(bodyOf(sent)).toEqual({
      requests: [
        { model: "models/gemini-embedding-001", content: { parts: [{ text: "a" }] } },
        { model: "models/gemini-embedding-001", content: { parts: [{ text: "b" }] } },
      ],
    });
  });

  test("of tokens are refused", () => {
    expect(() => dialect().encode({ model: "m", input: [1, 2] }, to)).toThrow(GatewayError);
    expect(() => dialect().encode({ model: "m" }, to)).toThrow(GatewayError);
  });

  test("come back as numbers, with the tokens where Google says them", () => {
    expect(dialect().decode(fixture("embeddings"), { model: "m", input: ["a", "b"] }, facts)).toEqual({
      object: "list",
      model: "my-model",
      data: [
        { object: "embedding", index: 0, embedding: [0.5, -0.25, 1] },
        { object: "embedding", index: 1, embedding: [0, 2, -1] },
      ],
      usage: { prompt_tokens: 7, total_tokens: 7 },
    });
  });

  test("come back as base64 of little-endian float32 when asked for", () => {
    const request = { model: "m", input: "a", encoding_format: "base64" as const };
    const { embedding } = dialect().decode(fixture("embedding"), request, facts).data[0] ?? {};
    const bytes = Buffer.from(String(embedding), "base64");
    expect([0, 4, 8].map((at) => bytes.readFloatLE(at))).toEqual([0.5, -0.25, 1]);
  });

  test("that are not there, or not as many as texts, are an upstream error", () => {
    const request = { model: "m", input: ["a", "b"] };
    for (const body of [
      null,
      [],
      {},
      "x",
      { embeddings: 5 },
      { embeddings: [{ values: [1] }] },
      fixture("embedding"),
    ]) {
      expect(() => dialect().decode(body, request, facts)).toThrow("Google Gemini's answer");
    }
    fc.assert(
      fc.property(fc.anything(), (body) => {
        expect(() => dialect().decode(body, request, facts)).toThrow(GatewayError);
      }),
      always(tripped(fixture("embedding"))),
    );
  });
});
