import { afterAll, expect, test } from "bun:test";
import { systemClock } from "../../src/lib/clock.ts";
import { startApp } from "../app.ts";
import { MemoryBooks } from "./memory-books.ts";

let billed: unknown;
const upstream = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  fetch: () =>
    Response.json({
      id: "1",
      results: [{ index: 0, relevance_score: 1 }],
      meta: { billed_units: { search_units: billed } },
    }),
});
const books = new MemoryBooks();
const app = await startApp(
  `model_list:
  - model_name: rank
    litellm_params: { model: cohere/rerank-v3.5, api_key: k, api_base: 'http://127.0.0.1:${upstream.port}' }
    model_info: { base_model: cohere/rerank-v3.5 }
`,
  null,
  systemClock,
  { ledger: books },
);
afterAll(async () => {
  await app.close();
  await upstream.stop(true);
});

/** 0.002 USD for each unit of 100 documents, by Cohere's price list. */
const UNIT = 2_000_000n;

test.each([
  ["as the provider bills them", 120, 3, 3n],
  ["by documents, if the provider reports none", 250, undefined, 3n],
  ["at most as many as the documents can have", 2, 1_000_000, 1n],
  ["as one at least", 2, 0, 1n],
])("a reranking call is charged by search units: %s", async (_, documents, reported, units) => {
  billed = reported;
  const json = { model: "rank", query: "which?", documents: Array.from({ length: documents }, () => "x".repeat(600)) };
  const response = await app.call("/v1/rerank", { key: app.first.demoKey ?? "", json });
  expect([response.status, await response.text()]).toEqual([200, expect.stringContaining("results")]);
  expect(response.headers.get("x-gw-response-cost")).toBe(String(Number(units) * 0.002));
  const record = await books.last();
  expect(record).toMatchObject({ operation: "rerank", cost: units * UNIT });
  expect(record.costParts).toMatchObject([{ component: "request", thousandths: units * 1000n }]);
});
