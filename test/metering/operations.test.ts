import { afterAll, describe, expect, test } from "bun:test";
import { systemClock } from "../../src/lib/clock.ts";
import { startApp } from "../app.ts";
import { MemoryBooks } from "./memory-books.ts";

const books = new MemoryBooks();
const app = await startApp("", null, systemClock, { ledger: books });
afterAll(() => app.close());
const key = app.first.demoKey ?? "";

/** One call through the app, to its last byte, and its record. */
async function call(path: string, json: object) {
  const response = await app.call(path, { key, json });
  const bytes = await response.arrayBuffer();
  return { response, bytes, record: await books.last() };
}

describe("what an operation is charged by", () => {
  test("text completions: tokens, streamed or not", async () => {
    const plain = await call("/v1/completions", { model: "echo-completion", prompt: "hello there" });
    const streamed = await call("/v1/completions", { model: "echo-completion", prompt: "hello there", stream: true });
    expect(plain.record).toMatchObject({ operation: "completion", status: "succeeded", estimated: false });
    expect(plain.record.cost).toBeGreaterThan(0n);
    expect(streamed.record.cost).toBe(plain.record.cost);
  });

  test("text completions that go as a chat: tokens, streamed or not", async () => {
    const costs = [];
    for (const stream of [false, true]) {
      const { record } = await call("/v1/completions", { model: "echo", prompt: "hello there", stream });
      expect(record).toMatchObject({ status: "succeeded", estimated: false, stream });
      costs.push(record.cost);
    }
    expect(costs[0]).toBe(costs[1] ?? 0n);
  });

  test("embeddings: tokens of the input", async () => {
    const { record } = await call("/v1/embeddings", { model: "echo-embedding", input: ["hello", "there"] });
    expect(record).toMatchObject({ operation: "embedding", completionTokens: 0, estimated: false });
    expect(record.cost).toBe(BigInt(record.promptTokens) * 20n);
  });

  test("images: each one", async () => {
    const { record, response } = await call("/v1/images/generations", {
      model: "echo-image",
      prompt: "a lake",
      n: 2,
      response_format: "b64_json",
    });
    expect(response.status).toBe(200);
    expect(record).toMatchObject({ operation: "image", images: 2, cost: 2_000_000n, estimated: false });
    expect(response.headers.get("x-gw-response-cost")).toBe("0.002");
  });

  test("speech: characters as people count them", async () => {
    const { record } = await call("/v1/audio/speech", { model: "echo-speech", input: "héllo 🚀", voice: "alloy" });
    expect(record).toMatchObject({ operation: "speech", characters: 7, cost: 7_000n, estimated: false });
  });

  test("transcriptions: seconds, in every format", async () => {
    const { bytes } = await call("/v1/audio/speech", {
      model: "echo-speech",
      input: "one two three",
      voice: "alloy",
      response_format: "wav",
    });
    for (const format of ["json", "verbose_json", "text", "srt", "vtt"]) {
      const form = new FormData();
      form.set("file", new File([bytes], "speech.wav", { type: "audio/wav" }));
      form.set("model", "echo-transcription");
      form.set("response_format", format);
      const response = await app.call("/v1/audio/transcriptions", { key, body: form });
      await response.text();
      const record = await books.last();
      expect(record).toMatchObject({ operation: "transcription", status: "succeeded" });
      expect(record.soundMs).toBeGreaterThan(0);
      expect(record.cost).toBe((BigInt(record.soundMs) * 100_000n + 999n) / 1_000n);
    }
  });

  test("moderations of the offline model: nothing", async () => {
    const { record } = await call("/v1/moderations", { model: "echo-moderation", input: "hello" });
    expect(record).toMatchObject({ operation: "moderation", status: "succeeded", cost: 0n, priceVersion: null });
  });

  test("a chat of a person who is logged in: the key that they name", async () => {
    const { demoKey } = app.first;
    const login = await app.call("/api/auth/token", {
      json: { email: app.first.adminEmail, password: app.first.generatedPassword },
    });
    const { token } = (await login.json()) as { token: string };
    const messages = [{ role: "user", content: "hi" }];
    const response = await app.call("/api/gw/messages", {
      key: token,
      json: { apiKey: demoKey, model: "echo", messages },
    });
    expect(response.status).toBe(200);
    const record = await books.last();
    expect(record).toMatchObject({ endpoint: "/api/gw/messages", status: "succeeded", operation: "chat" });
    expect(record.cost).toBeGreaterThan(0n);
  });
});
