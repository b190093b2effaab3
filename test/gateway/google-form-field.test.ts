import { afterAll, describe, expect, test } from "bun:test";
import { script } from "../e2e/dialect-suite.ts";
import { startGoogle } from "./google-app.ts";

const world = await startGoogle();
const { app, key, answer, asked } = world;
afterAll(() => world.close());

const messages = [{ role: "user" as const, content: "hello" }];
const CALLS: readonly (readonly [string, object])[] = [
  ["/v1/chat/completions", { messages }],
  ["/v1/chat/completions", { messages, stream: true }],
  ["/v1/messages", { messages, max_tokens: 9 }],
  ["/v1/messages/count_tokens", { messages }],
  ["/v1/responses", { input: "hello" }],
  ["/v1/completions", { prompt: "hello" }],
  ["/v1/embeddings", { input: "hello" }],
];
const FORMS = [{ messages: 5 }, { n: 8, max_tokens: 60_000 }, { stream: true }, {}, true, "x"];

describe.each(CALLS)("%s %p", (path, fields) => {
  test("takes no `google_form`, which Google's own addresses make", async () => {
    for (const model of ["gemini", "gpt"]) {
      for (const google_form of FORMS) {
        const before = script.seen.length;
        const response = await app.call(path, { key, json: { ...fields, model, google_form } });
        const said = await response.text();
        expect([response.status, said]).toEqual([400, expect.stringContaining("google_form")]);
        expect(script.seen.length).toBe(before);
      }
    }
  });
});

test("one inside `extra_body` goes nowhere", async () => {
  for (const model of ["gemini", "gpt"]) {
    const json = { model, messages, extra_body: { google_form: { n: 8, generationConfig: { topK: 7 } } } };
    const response = await app.call("/v1/chat/completions", { key, json });
    expect(response.status).toBe(200);
    expect(JSON.stringify(asked())).not.toMatch(/google_form|topK|candidateCount/);
  }
});

test("one that is null is none", async () => {
  const json = { model: "gemini", messages, google_form: null };
  expect((await app.call("/v1/chat/completions", { key, json })).status).toBe(200);
});

test("a fallback's own fields have none, and a fallback still gets Google's form", async () => {
  const json = { model: "gpt", messages, fallbacks: [{ model: "gemini", google_form: { n: 8 } }] };
  expect((await app.call("/v1/chat/completions", { key, json })).status).toBe(400);
  for (const standIn of ["gemini", { model: "gemini", temperature: 0.5 }]) {
    await answer("backed", { generationConfig: { topK: 7 }, fallbacks: [standIn] });
    expect(asked()).toMatchObject({ generationConfig: { topK: 7 } });
  }
});
