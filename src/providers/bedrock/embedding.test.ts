import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { always, spoiled, tripped } from "../../../test/upstreams/hostile.ts";
import type { EmbeddingRequest } from "../../contract/embeddings.ts";
import { GatewayError } from "../../contract/errors.ts";
import type { Target } from "../dialect.ts";
import { bedrockEmbedding } from "./embedding.ts";
import cohere from "./fixtures/cohere-embedding.json";
import cohereByType from "./fixtures/cohere-embedding-by-type.json";
import titan from "./fixtures/titan-embedding.json";
import { bedrock } from "./provider.ts";

const target = (upstreamModel: string): Target => ({
  provider: "bedrock",
  upstreamModel,
  apiBase: "http://bedrock",
  apiKey: "key",
  apiVersion: null,
  params: {},
  env: () => undefined,
});
const facts = { id: "embd-1", createdSeconds: 1, model: "vectors" };

function encode(model: string, fields: Partial<EmbeddingRequest> & Record<string, unknown>): unknown {
  const { url, body } = bedrockEmbedding.encode({ model: "vectors", ...fields }, target(model));
  expect(url).toBe(`http://bedrock/model/${encodeURIComponent(model)}/invoke`);
  return JSON.parse(String(body));
}

const decode = (body: unknown, request: EmbeddingRequest) => {
  if (!bedrockEmbedding.decode) throw new Error("no decoder");
  return bedrockEmbedding.decode(body, request, facts);
};

describe("an embedding request", () => {
  test("to Titan has one text", () => {
    expect(encode("amazon.titan-embed-text-v2:0", { input: ["hi"], dimensions: 256, normalize: true })).toEqual({
      inputText: "hi",
      dimensions: 256,
      normalize: true,
    });
    expect(encode("amazon.titan-embed-text-v1", { input: "hi" })).toEqual({ inputText: "hi" });
    expect(encode("amazon.titan-embed-image-v1", { input: "hi", dimensions: 384 })).toEqual({
      inputText: "hi",
      embeddingConfig: { outputEmbeddingLength: 384 },
    });
  });

  test("to Cohere has all its texts, and the caller's input_type before ours", () => {
    expect(encode("cohere.embed-multilingual-v3", { input: ["a", "b"] })).toEqual({
      texts: ["a", "b"],
      input_type: "search_document",
    });
    expect(
      encode("us.cohere.embed-v4:0", { input: "a", dimensions: 512, input_type: "search_query", truncate: "END" }),
    ).toEqual({ texts: ["a"], input_type: "search_query", output_dimension: 512, truncate: "END" });
  });

  test.each([
    ["several texts to Titan", "amazon.titan-embed-text-v2:0", ["a", "b"], /one text in a call, not 2/],
    ["tokens", "cohere.embed-english-v3", [1, 2], /not of tokens/],
    ["nothing", "cohere.embed-english-v3", [], /text/],
    ["a model that makes none", "anthropic.claude-3-haiku-20240307-v1:0", "a", /not known to make embeddings/],
  ])("with %s is refused", (_, model, input, words) => {
    expect(() => encode(model, { input: input as string[] })).toThrow(words);
    expect(() => encode(model, { input: input as string[] })).toThrow(GatewayError);
  });

  test("may set the dimensions where the model has them", () => {
    expect(bedrock.supportedParams("embedding", "amazon.titan-embed-text-v2:0")).toContain("dimensions");
    expect(bedrock.supportedParams("embedding", "cohere.embed-english-v3")).toEqual(["encoding_format"]);
  });
});

describe("an embedding answer", () => {
  test("of Titan has its vector and its tokens", () => {
    expect(decode(titan, { model: "vectors", input: "hi" })).toEqual({
      object: "list",
      model: "vectors",
      data: [{ object: "embedding", index: 0, embedding: [0.0125, -0.5, 0.25] }],
      usage: { prompt_tokens: 6, total_tokens: 6 },
    });
  });

  test("of Cohere has a vector for each text, in either of its forms", () => {
    for (const body of [cohere, cohereByType]) {
      const { data } = decode(body, { model: "vectors", input: ["one", "two"] });
      expect(data.map(({ index, embedding }) => [index, embedding])).toEqual([
        [0, [0.5, 0.25]],
        [1, [-0.125, 1]],
      ]);
    }
  });

  test("is base64 of floats when asked for", () => {
    const { data } = decode(titan, { model: "vectors", input: "hi", encoding_format: "base64" });
    const bytes = Buffer.from(String(data[0]?.embedding), "base64");
    expect(bytes.readFloatLE(4)).toBe(-0.5);
  });

  test("that is not one is the upstream's fault, whatever it is", () => {
    const request = { model: "vectors", input: ["one", "two"] };
    fc.assert(
      fc.property(fc.oneof(fc.anything(), spoiled(cohere), spoiled(cohereByType), spoiled(titan)), (body) => {
        try {
          const { usage } = decode(body, request);
          expect(usage.prompt_tokens).toBeGreaterThanOrEqual(0);
        } catch (thrown) {
          expect(thrown).toBeInstanceOf(GatewayError);
          expect(thrown).toMatchObject({ kind: "upstream" });
        }
      }),
      always([cohere, cohereByType, titan].flatMap(tripped)),
    );
  });
});
