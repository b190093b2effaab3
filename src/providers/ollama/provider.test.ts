import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { always, spoiled, tripped } from "../../../test/upstreams/hostile.ts";
import type { EmbeddingRequest } from "../../contract/embeddings.ts";
import { GatewayError } from "../../contract/errors.ts";
import type { Target } from "../dialect.ts";
import { ollamaEmbedding } from "./embedding.ts";
import embed from "./fixtures/embed.json";
import failures from "./fixtures/failures.json";
import { ollama } from "./provider.ts";

const target: Target = {
  provider: "ollama",
  upstreamModel: "all-minilm",
  apiBase: null,
  apiKey: null,
  apiVersion: null,
  params: {},
  env: () => undefined,
};

describe("embeddings", () => {
  const request: EmbeddingRequest = { model: "mine", input: ["hello", "goodbye"] };
  const decode = (body: unknown, more: object = {}) =>
    ollamaEmbedding.decode?.(body, { ...request, ...more }, { id: "x", createdSeconds: 1, model: "mine" });

  test("are asked for in one batch, with Ollama's own settings where it has them", () => {
    const rich = { ...request, dimensions: 3, truncate: false, keep_alive: "5m", num_ctx: 512 };
    const { url, body } = ollamaEmbedding.encode(rich, target);
    expect(url).toBe("http://localhost:11434/api/embed");
    expect(JSON.parse(String(body))).toEqual({
      model: "all-minilm",
      input: ["hello", "goodbye"],
      dimensions: 3,
      truncate: false,
      keep_alive: "5m",
      options: { num_ctx: 512 },
    });
  });

  test("of token numbers are refused", () => {
    expect(() => ollamaEmbedding.encode({ model: "mine", input: [[1, 2]] }, target)).toThrow("token numbers");
  });

  test("come back in order, in the encoding that was asked for", () => {
    expect(decode(embed)).toEqual({
      object: "list",
      model: "mine",
      data: [
        { object: "embedding", index: 0, embedding: [0.5, -0.25, 1] },
        { object: "embedding", index: 1, embedding: [0, 2, -1] },
      ],
      usage: { prompt_tokens: 8, total_tokens: 8 },
    });
    expect(decode(embed, { encoding_format: "base64" })?.data[0]?.embedding).toBe("AAAAPwAAgL4AAIA/");
  });

  test("that are not what they should be are an upstream error", () => {
    for (const body of [null, [], {}, "x", { embeddings: [[1]] }, { embeddings: [[1], ["x"]] }]) {
      expect(() => decode(body)).toThrow(expect.objectContaining({ kind: "upstream" }));
    }
    fc.assert(
      fc.property(fc.oneof(fc.anything(), spoiled(embed)), (body) => {
        try {
          decode(body);
        } catch (thrown) {
          expect(thrown).toBeInstanceOf(GatewayError);
          expect((thrown as GatewayError).kind).toBe("upstream");
        }
      }),
      always(tripped(embed)),
    );
  });
});

describe("failures", () => {
  test.each(failures.map((one) => [one.case, one] as const))("are understood: %s", (_name, failure) => {
    const body = typeof failure.body === "string" ? failure.body : JSON.stringify(failure.body);
    const classified = ollama.classify({ status: failure.status, headers: new Headers(), body });
    expect(classified.kind as string).toBe(failure.kind);
    expect(classified.message).toContain(failure.says);
    expect(classified.message).not.toContain("<html");
  });
});
