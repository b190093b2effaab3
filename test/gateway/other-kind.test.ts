import { afterAll, expect, test } from "bun:test";
import { MASTER_KEY, startApp } from "../app.ts";
import { Moody } from "../upstreams/moody.ts";

const upstream = new Moody("one");
const entry = (name: string, model: string, info: object) => ({
  model_name: name,
  litellm_params: { model, api_base: upstream.address, api_key: "sk-up" },
  model_info: { free: true, ...info },
});
const app = await startApp(
  JSON.stringify({
    model_list: [
      entry("vectors", "openai/acme-vectors", { mode: "embedding" }),
      entry("pictures", "openai/acme-pictures", { mode: "image_generation" }),
      entry("draws in chats", "groq/acme-pictures", { mode: "image_generation" }),
      entry("by name alone", "openai/text-embedding-3-small", {}),
      entry("astrology", "openai/acme-stars", { mode: "astrology" }),
      entry("texts", "openai/acme-texts", { mode: "completion" }),
      entry("only texts", "text-completion-openai/acme-instruct", {}),
      entry("either", "openai/acme-either", { mode: "embedding" }),
      entry("either", "openai/acme-other", {}),
    ],
  }),
);
const offline = await startApp("");
afterAll(() => Promise.all([app.close(), offline.close(), upstream.stop()]));

const messages = [{ role: "user", content: "Hello!" }];
const chat = (model: string, on = app) =>
  on.call("/v1/chat/completions", { key: MASTER_KEY, json: { model, messages } });

test.each([
  ["echo-image", "makes pictures: call POST /v1/images/generations."],
  ["echo-speech", "speaks: call POST /v1/audio/speech."],
  ["echo-embedding", "makes vectors of texts: call POST /v1/embeddings."],
  ["echo-transcription", "writes down what is said: call POST /v1/audio/transcriptions."],
  ["echo-moderation", "judges texts: call POST /v1/moderations."],
  ["echo-realtime", "talks in sessions: open one at /v1/realtime."],
])("a chat with %s is told what the model is for", async (model, words) => {
  const answer = await chat(model, offline);
  const { error } = (await answer.json()) as { error: { message: string; param: string } };
  expect([answer.status, error.param, error.message]).toEqual([
    400,
    "model",
    `The model \`${model}\` does not chat, but ${words}`,
  ]);
});

test("a chat with a model of text completions names the operation for it", async () => {
  const response = await chat("only texts");
  const { error } = (await response.json()) as { error: { message: string; param: string } };
  expect([response.status, error.param, error.message]).toEqual([
    400,
    "model",
    expect.stringContaining("The model `only texts` completes texts and does not chat: call POST /v1/completions."),
  ]);
});

test.each([
  ["/v1/images/generations", "echo", "make images", "image"],
  ["/v1/audio/speech", "echo-image", "speak", "speech"],
])("%s with %s names the offline model for it", async (path, model, ability, kind) => {
  const json = { model, prompt: "a cat", input: "Hello!", voice: "alloy" };
  const response = await offline.call(path, { key: MASTER_KEY, json });
  const { error } = (await response.json()) as { error: { message: string } };
  const words = `The offline model \`${model}\` does not ${ability}. Call \`echo-${kind}\` (in a configuration: \`echo/${kind}\`).`;
  expect([response.status, error.message]).toEqual([400, expect.stringContaining(words)]);
  const other = await offline.call(path, { key: MASTER_KEY, json: { ...json, model: `echo-${kind}` } });
  expect(other.status).toBe(200);
});

test.each([
  ["/v1/completions", { prompt: "Hello!" }],
  ["/v1/messages", { messages, max_tokens: 9 }],
  ["/v1/responses", { input: "Hello!" }],
  ["/v1beta/models/vectors:generateContent", { contents: [{ parts: [{ text: "Hello!" }] }] }],
])("%s says so, too, and sends nothing", async (path, json) => {
  const before = upstream.calls;
  const answer = await app.call(path, { key: MASTER_KEY, json: { model: "vectors", ...json } });
  expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining("POST /v1/embeddings")]);
  expect(upstream.calls).toBe(before);
});

test.each(["draws in chats", "by name alone", "astrology", "texts", "either"])(
  "%s is called: what is not known is not refused",
  async (model) => {
    expect((await chat(model)).status).toBe(200);
  },
);

test("what a model is for goes on", async () => {
  expect((await chat("pictures")).status).toBe(400);
  const vectors = await app.call("/v1/embeddings", { key: MASTER_KEY, json: { model: "vectors", input: "Hello!" } });
  expect(vectors.status).toBe(200);
});
