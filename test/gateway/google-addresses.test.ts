import { afterAll, describe, expect, test } from "bun:test";
import { say, startGoogle } from "./google-app.ts";

const world = await startGoogle();
const { app, key } = world;
afterAll(() => world.close());

describe("what else can be done with a model at Google", () => {
  const at = (path: string) => app.call(path, { headers: { "x-goog-api-key": key }, json: say("hello") });

  test.each([
    ["embedText", "/v1/embeddings"],
    ["batchEmbedText", "/v1/embeddings"],
    ["batchGenerateContent", "/v1/batches"],
    ["asyncBatchEmbedContent", "/v1/batches"],
    ["predict", "/v1/images/generations"],
    ["generateAnswer", ":generateContent"],
    ["bidiGenerateContent", "/v1/realtime"],
  ])("%s is not served, and what does the same is named", async (action, instead) => {
    for (const path of ["/v1beta/models", "/v1/models", "/models"]) {
      const response = await at(`${path}/openai/gpt:8b:${action}`);
      expect([path, response.status]).toEqual([path, 404]);
      const { error } = (await response.json()) as { error: { status: string; message: string } };
      expect(error).toMatchObject({ code: 404, status: "NOT_FOUND", message: expect.stringContaining(instead) });
    }
  });

  test("something that nobody knows is not served either", async () => {
    const response = await at("/v1beta/models/gpt:somethingNew");
    expect(await response.json()).toMatchObject({
      error: { code: 404, message: expect.stringContaining(":generateContent") },
    });
  });

  test("a model whose name has a colon is still found, and is not made", async () => {
    const headers = { "x-goog-api-key": key };
    expect((await app.call("/v1beta/models/openai/gpt:8b", { headers })).status).toBe(200);
    expect((await at("/v1beta/models/gpt")).status).toBe(405);
  });
});

test("two different keys in the address are refused, and twice the same is one", async () => {
  const other = `sk-${"y".repeat(40)}`;
  const at = (query: string) => app.call(`/v1beta/models/gpt:generateContent?${query}`, { json: say("hello") });
  for (const query of [`key=${key}&key=${other}`, `key=${key}&%6Bey=${other}`, `key=${key}&key=`]) {
    const response = await at(query);
    expect([query, response.status]).toEqual([query, 401]);
    expect(await response.text()).toContain("Two different keys");
  }
  expect((await at(`key=${key}&key=${key}`)).status).toBe(200);
});
