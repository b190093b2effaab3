import { afterAll, describe, expect, test } from "bun:test";
import { startStrictApp } from "./strict-app.ts";

const strict = await startStrictApp();
afterAll(() => strict.close());

const messages = [{ role: "user", content: "hi" }];
const contents = [{ role: "user", parts: [{ text: "hi" }] }];

describe.each(["reasoner", "responses"])("Sampling parameters for %s", (model) => {
  test.each([
    ["/v1/messages", { model, max_tokens: 50, messages, temperature: 0.3, top_p: 0.9, top_k: 40 }],
    [
      `/v1beta/models/${model}:generateContent`,
      { contents, generationConfig: { temperature: 0.3, topP: 0.9, topK: 40 } },
    ],
    ["/v1/responses", { model, input: "hi", temperature: 0.3, top_p: 0.9 }],
  ])("are dropped at %s, and a header says so", async (path, body) => {
    const response = await strict.post(path, body);
    expect(response.status).toBe(200);
    const dropped = response.headers.get("x-gw-dropped-params")?.split(", ").sort();
    expect(dropped).toEqual(["temperature", "top_p", ...(path === "/v1/responses" ? [] : ["top_k"])].sort());
    expect(Object.keys(strict.seen)).not.toContain("temperature");
  });

  test("are refused in a chat completion, as before", async () => {
    const response = await strict.post("/v1/chat/completions", { model, messages, temperature: 0.3 });
    expect(response.status).toBe(400);
    expect(response.headers.get("x-gw-dropped-params")).toBeNull();
  });
});

test("a model that takes sampling only without reasoning is not sent both", async () => {
  const path = "/v1beta/models/newer:generateContent";
  const sampling = { temperature: 0.3, topP: 0.9 };
  const plain = await strict.post(path, { contents, generationConfig: sampling });
  expect([plain.headers.get("x-gw-dropped-params"), strict.seen.temperature]).toEqual([null, 0.3]);
  const thinkingConfig = { thinkingLevel: "HIGH" };
  const reasoned = await strict.post(path, { contents, generationConfig: { ...sampling, thinkingConfig } });
  expect(reasoned.headers.get("x-gw-dropped-params")).toBe("temperature, top_p");
  expect([strict.seen.reasoning_effort, strict.seen.temperature]).toEqual(["high", undefined]);
});

test("Claude models without sampling are not sent any, also by messages", async () => {
  const response = await strict.post("/v1/messages", {
    ...{ model: "opus", max_tokens: 50, messages, temperature: 0.3, top_k: 40 },
  });
  expect([response.status, response.headers.get("x-gw-dropped-params")]).toEqual([200, "temperature, top_k"]);
  expect(strict.seen).not.toContainAnyKeys(["temperature", "top_k"]);
});

test("a model that does not reason keeps its sampling parameters, and a parameter of another kind is refused", async () => {
  const sent = await strict.post("/v1/responses", { model: "gpt", input: "hi", temperature: 0.3 });
  expect([sent.headers.get("x-gw-dropped-params"), strict.seen.temperature]).toEqual([null, 0.3]);
  const refused = await strict.post(`/v1beta/models/claude:generateContent`, {
    contents,
    generationConfig: { seed: 1 },
  });
  expect(refused.status).toBe(400);
});
