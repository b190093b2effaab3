import { afterAll, describe, expect, test } from "bun:test";
import { systemClock } from "../../src/lib/clock.ts";
import { startApp } from "../app.ts";
import { DIALECTS, startUpstreams } from "../e2e/dialect-upstreams.ts";
import { MemoryBooks } from "./memory-books.ts";

const books = new MemoryBooks();
const upstreams = await startUpstreams();
const priced = JSON.parse(upstreams.yaml) as { model_list: { model_info?: object }[] };
for (const model of priced.model_list) {
  model.model_info = {
    ...model.model_info,
    input_cost_per_token: "0.000002",
    output_cost_per_token: "0.00001",
    cache_read_input_token_cost: "0.0000002",
    cache_creation_input_token_cost: "0.0000025",
    output_cost_per_reasoning_token: "0.00002",
  };
}
const app = await startApp(JSON.stringify(priced), null, systemClock, { ledger: books });
const key = app.first.demoKey ?? "";
afterAll(async () => {
  await app.close();
  upstreams.stop();
});

async function chat(model: string, content: string, stream: boolean) {
  const messages = [{ role: "user", content }];
  const response = await app.call("/v1/chat/completions", { key, json: { model, messages, stream } });
  const text = await response.text();
  return { response, text, record: await books.last() };
}

describe.each(DIALECTS.map((dialect) => [dialect.name, dialect] as const))("a chat through %s", (model, dialect) => {
  test("costs the same streamed or not, and what its usage says", async () => {
    const plain = await chat(model, "hello", false);
    const streamed = await chat(model, "hello", true);
    expect(plain.record).toMatchObject({
      status: "succeeded",
      promptTokens: 11,
      completionTokens: 6,
      cost: 11n * 2_000n + 6n * 10_000n,
      providerCost: 82_000n,
      estimated: false,
      model,
      operation: "chat",
      endpoint: "/v1/chat/completions",
      stream: false,
    });
    expect(plain.response.headers.get("x-gw-response-cost")).toBe("0.000082");
    expect(streamed.text).toEndWith("data: [DONE]\n\n");
    const { promptTokens, completionTokens, cost, costParts, priceVersion } = streamed.record;
    expect({ promptTokens, completionTokens, cost, costParts, priceVersion }).toEqual({
      promptTokens: plain.record.promptTokens,
      completionTokens: plain.record.completionTokens,
      cost: plain.record.cost,
      costParts: plain.record.costParts,
      priceVersion: plain.record.priceVersion,
    });
    expect(streamed.record).toMatchObject({ status: "succeeded", stream: true, estimated: false });
  });

  test("costs the same streamed or not where a cache or thinking is charged apart", async () => {
    for (const word of dialect.noReasoning ? ["cached"] : ["cached", "think"]) {
      const plain = await chat(model, word, false);
      const streamed = await chat(model, word, true);
      expect(plain.record.cost).toBeGreaterThan(0n);
      expect(streamed.record.cost).toBe(plain.record.cost);
      expect(streamed.record.costParts).toEqual(plain.record.costParts);
    }
  });

  test("that the upstream refuses is free, and has its row", async () => {
    for (const stream of [false, true]) {
      const { response, record } = await chat(model, "fail server_error", stream);
      expect(response.status).toBeGreaterThanOrEqual(500);
      expect(record).toMatchObject({ status: "failed", cost: 0n, promptTokens: 0, statusCode: response.status });
      expect(books.closed.at(-1)).toBeNull();
    }
  });

  test("that breaks off in the middle is charged for what was delivered", async () => {
    const { text, record } = await chat(model, "cut here", true);
    expect(text).not.toContain("[DONE]");
    expect(record).toMatchObject({ status: "partial", statusCode: 200 });
    expect(record.cost).toBeGreaterThan(0n);
    expect(books.closed.at(-1)).toBe(record.cost);
  });
});

describe("an embedding", () => {
  test.each(DIALECTS.flatMap(({ embedding }) => (embedding === undefined ? [] : [embedding])))(
    "of %s is charged by its tokens",
    async (model) => {
      const response = await app.call("/v1/embeddings", { key, json: { model, input: "some words to embed" } });
      expect(response.status).toBe(200);
      const body = (await response.json()) as { usage?: { prompt_tokens?: number } };
      const record = await books.last();
      expect(record).toMatchObject({ status: "succeeded", operation: "embedding", completionTokens: 0 });
      expect(record.promptTokens).toBeGreaterThan(0);
      expect(record.cost).toBe(BigInt(record.promptTokens) * 2_000n);
      if ((body.usage?.prompt_tokens ?? 0) > 0) expect(record.promptTokens).toBe(body.usage?.prompt_tokens ?? 0);
      else expect(record.estimated).toBe(true);
    },
  );
});
