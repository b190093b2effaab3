import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { always, spoiled, tripped } from "../../../test/upstreams/hostile.ts";
import type { EmbeddingRequest } from "../../contract/embeddings.ts";
import { GatewayError } from "../../contract/errors.ts";
import type { RerankRequest } from "../../contract/rerank.ts";
import type { Target } from "../dialect.ts";
import { cohereEmbedding } from "./embedding.ts";
import embed from "./fixtures/embed.json";
import failures from "./fixtures/failures.json";
import rerank from "./fixtures/rerank.json";
import { cohere } from "./provider.ts";
import { cohereRerank } from "./rerank.ts";

const target: Target = {
  provider: "cohere",
  upstreamModel: "embed-v4.0",
  apiBase: null,
  apiKey: "key-1",
  apiVersion: null,
  params: {},
  env: () => undefined,
};
const facts = { id: "x-1", createdSeconds: 1, model: "mine" };

function sentBy(encoded: { readonly url: string; readonly body: unknown }): unknown {
  return [encoded.url, JSON.parse(String(encoded.body))];
}

function expectAnswerOrUpstream(action: () => unknown): void {
  try {
    action();
  } catch (thrown) {
    expect(thrown).toBeInstanceOf(GatewayError);
    expect((thrown as GatewayError).kind).toBe("upstream");
  }
}

describe("embeddings", () => {
  const request: EmbeddingRequest = { model: "mine", input: ["hello", "goodbye"] };
  const decode = (body: unknown, more: object = {}) =>
    cohereEmbedding.decode?.(body, { ...request, ...more } as EmbeddingRequest, facts);

  test("are asked for as floats of documents, in the dimensions of the request", () => {
    expect(sentBy(cohereEmbedding.encode({ ...request, dimensions: 256 }, target))).toEqual([
      "https://api.cohere.com/v2/embed",
      {
        model: "embed-v4.0",
        texts: ["hello", "goodbye"],
        input_type: "search_document",
        embedding_types: ["float"],
        output_dimension: 256,
      },
    ]);
  });

  test("are asked for as the caller's own fields say", () => {
    const own = { model: "mine", input: "hello", input_type: "search_query", truncate: "NONE" } as EmbeddingRequest;
    expect(sentBy(cohereEmbedding.encode(own, target))).toMatchObject([
      "https://api.cohere.com/v2/embed",
      { texts: ["hello"], input_type: "search_query", truncate: "NONE" },
    ]);
  });

  test("of token numbers are refused", () => {
    expect(() => cohereEmbedding.encode({ model: "mine", input: [1, 2] }, target)).toThrow("token numbers");
  });

  test("come back in order with what was billed", () => {
    expect(decode(embed)).toEqual({
      object: "list",
      model: "mine",
      data: [
        { object: "embedding", index: 0, embedding: [0.5, -0.25, 1] },
        { object: "embedding", index: 1, embedding: [0, 2, -1] },
      ],
      usage: { prompt_tokens: 2, total_tokens: 2 },
    });
  });

  test("come back in the encoding and the type that were asked for", () => {
    expect(decode(embed, { encoding_format: "base64" })?.data[0]?.embedding).toBe("AAAAPwAAgL4AAIA/");
    const bytes = { ...embed, embeddings: { int8: [[1], [2]] } };
    expect(decode(bytes, { embedding_types: ["int8"] })?.data[1]?.embedding).toEqual([2]);
  });

  test("that are not what they should be are an upstream error", () => {
    for (const body of [null, [], {}, "x", { embeddings: {} }, { embeddings: { float: [[1]] } }]) {
      expect(() => decode(body)).toThrow(expect.objectContaining({ kind: "upstream" }));
    }
    fc.assert(
      fc.property(fc.oneof(fc.anything(), spoiled(embed)), (body) => expectAnswerOrUpstream(() => decode(body))),
      always(tripped(embed)),
    );
  });
});

describe("reranking", () => {
  const request: RerankRequest = {
    model: "mine",
    query: "capital?",
    documents: ["Carson City", { text: "Washington" }],
  };
  const decode = (body: unknown, more: object = {}) => cohereRerank.decode?.(body, { ...request, ...more }, facts);

  test("sends texts: a record as YAML of the fields to rank by", () => {
    const documents = ["plain", { text: "only" }, { title: "T", text: "Line\none", n: 1 }];
    expect(sentBy(cohereRerank.encode({ ...request, documents, top_n: 2, max_tokens_per_doc: 99 }, target))).toEqual([
      "https://api.cohere.com/v2/rerank",
      {
        model: "embed-v4.0",
        query: "capital?",
        documents: ["plain", "only", "title: T\ntext: |-\n  Line\n  one\nn: 1\n"],
        top_n: 2,
        max_tokens_per_doc: 99,
      },
    ]);
    const ranked = cohereRerank.encode(
      { ...request, documents: [{ title: "T", text: "x" }], rank_fields: ["title"] },
      target,
    );
    expect(sentBy(ranked)).toMatchObject(["https://api.cohere.com/v2/rerank", { documents: ["title: T\n"] }]);
  });

  test("gives the order and the scores, and the documents when they are wanted", () => {
    expect(decode(rerank)).toEqual({ id: rerank.id, results: rerank.results, meta: rerank.meta });
    expect(decode(rerank, { return_documents: true })?.results).toEqual([
      { index: 1, relevance_score: 0.999071, document: { text: "Washington" } },
      { index: 0, relevance_score: 0.32713068, document: { text: "Carson City" } },
    ]);
  });

  test("that is not what it should be is an upstream error", () => {
    for (const body of [null, [], {}, { results: [{}] }, { results: [{ index: 9, relevance_score: 1 }] }]) {
      expect(() => decode(body)).toThrow(expect.objectContaining({ kind: "upstream" }));
    }
    fc.assert(
      fc.property(fc.oneof(fc.anything(), spoiled(rerank)), (body) => expectAnswerOrUpstream(() => decode(body))),
      always(tripped(rerank)),
    );
  });
});

describe("failures", () => {
  test.each(failures.map((one) => [one.case, one] as const))(
    "are understood: %s",
    (_name, { status, body, kind, says }) => {
      const text = typeof body === "string" ? body : JSON.stringify(body);
      const classified = cohere.classify({ status, headers: new Headers(), body: text });
      expect(classified.kind as string).toBe(kind);
      expect(classified.message).toContain(says);
      expect(classified.message).not.toContain("<html");
    },
  );
});
