import { afterAll, describe, expect, test } from "bun:test";
import { gzipSync, zstdCompressSync } from "node:zlib";
import Anthropic from "@anthropic-ai/sdk";
import { MASTER_KEY, startApp } from "../app.ts";

const app = await startApp(
  JSON.stringify({
    model_list: [
      { model_name: "strict", litellm_params: { model: "echo/moderation" }, model_info: { mode: "moderation" } },
      { model_name: "lenient", litellm_params: { model: "echo/moderation" } },
      { model_name: "chat", litellm_params: { model: "echo/chat" } },
      { model_name: "vectors", litellm_params: { model: "echo/embedding" }, model_info: { mode: "embedding" } },
      { model_name: "spoken", litellm_params: { model: "echo/realtime" }, model_info: { mode: "realtime" } },
    ],
    general_settings: { moderation_model: "lenient", max_request_size_mb: 1 },
  }),
);
afterAll(() => app.close());
const key = app.first.demoKey ?? "";
const post = (path: string, json: object, headers: Record<string, string> = {}) =>
  app.call(path, { key, json, headers });

test("a moderation without a model asks the group of `moderation_model`", async () => {
  const response = await post("/v1/moderations", { input: "hello" });
  expect([response.status, response.headers.get("x-gw-model-group")]).toEqual([200, "lenient"]);
});

test("a moderation without a model asks the first moderation model, also one that states no mode", async () => {
  const other = await startApp(
    JSON.stringify({
      model_list: [
        { model_name: "chat", litellm_params: { model: "echo/chat" } },
        { model_name: "checks", litellm_params: { model: "echo/moderation" } },
      ],
    }),
  );
  const response = await other.call("/v1/moderations", { key: other.first.demoKey ?? "", json: { input: "hello" } });
  expect([response.status, response.headers.get("x-gw-model-group")]).toEqual([200, "checks"]);
  await other.close();
});

describe("Google's embeddings", () => {
  const content = (text: string) => ({ parts: [{ text }] });

  test("are the vectors of the embeddings interface", async () => {
    const one = await post("/v1beta/models/vectors:embedContent", {
      ...{ content: content("hello"), taskType: "RETRIEVAL_QUERY", output_dimensionality: 8 },
    });
    const { embedding } = (await one.json()) as { embedding: { values: number[] } };
    const plain = await post("/v1/embeddings", { model: "vectors", input: "hello", dimensions: 8 });
    const { data } = (await plain.json()) as { data: { embedding: number[] }[] };
    expect(embedding.values).toEqual(data[0]?.embedding ?? []);
    const several = await post("/v1beta/models/vectors:batchEmbedContents", {
      requests: ["hello", "world"].map((text) => ({
        ...{ model: "models/vectors", content: content(text), outputDimensionality: 8 },
      })),
    });
    const { embeddings } = (await several.json()) as { embeddings: { values: number[] }[] };
    expect([embeddings.length, embeddings[0]]).toEqual([2, embedding]);
  });

  test("are refused in Google's form", async () => {
    const different = [8, 9].map((outputDimensionality) => ({ content: content("a"), outputDimensionality }));
    for (const [action, body] of [
      ["embedContent", { content: { parts: [{ inlineData: {} }] } }],
      ["embedContent", { content: content("a"), nonsense: 1 }],
      ["batchEmbedContents", { requests: [] }],
      ["batchEmbedContents", { requests: different }],
    ] as const) {
      const response = await post(`/v1beta/models/vectors:${action}`, body);
      expect([response.status, await response.json()]).toMatchObject([400, { error: { status: "INVALID_ARGUMENT" } }]);
    }
  });

  test("are among the methods of an embedding model", async () => {
    const response = await app.call("/v1beta/models/vectors", { key });
    expect(await response.json()).toMatchObject({
      supportedGenerationMethods: ["embedContent", "batchEmbedContents"],
    });
  });
});

describe("The list of models in Anthropic's form", () => {
  const client = new Anthropic({
    ...{ apiKey: key, baseURL: "http://turnpike.test", maxRetries: 0 },
    fetch: async (url, init) => {
      const { pathname, search } = new URL(String(url));
      const headers = Object.fromEntries(new Headers(init?.headers as Bun.HeadersInit));
      return app.call(pathname + search, { headers });
    },
  });

  test("has every model on its pages", async () => {
    const names: string[] = [];
    for await (const model of client.models.list({ limit: 2 })) {
      expect([model.type, model.display_name]).toEqual(["model", model.id]);
      names.push(model.id);
    }
    expect(names).toContain("chat");
    expect(new Set(names).size).toBe(names.length);
    const { data } = await client.models.list({ limit: 1, before_id: names[2] ?? "" });
    expect(data.map(({ id }) => id)).toEqual([names[1] ?? ""]);
    expect(await client.models.retrieve("chat")).toMatchObject({ type: "model", id: "chat" });
  });

  test("answers errors in that form, and other clients get OpenAI's", async () => {
    const headers = { "anthropic-version": "2023-06-01" };
    const unknown = await app.call("/v1/models/none", { key, headers });
    expect([unknown.status, await unknown.json()]).toMatchObject([404, { type: "error" }]);
    expect(await (await app.call("/v1/models?after_id=none", { key, headers })).json()).toMatchObject({
      type: "error",
    });
    expect(await (await app.call("/v1/models", { key })).json()).toMatchObject({ object: "list" });
  });
});

describe("A compressed body", () => {
  const send = (body: Uint8Array, encoding: string) =>
    app.call("/v1/chat/completions", {
      key,
      body: body as Uint8Array<ArrayBuffer>,
      headers: { "content-type": "application/json", "content-encoding": encoding },
    });
  const bodyOf = (content: string) => JSON.stringify({ model: "chat", messages: [{ role: "user", content }] });

  test.each([
    ["gzip", gzipSync],
    ["zstd", zstdCompressSync],
  ] as const)("of %s is read, up to the limit of its expanded size", async (encoding, compress) => {
    const whole = await send(compress(bodyOf("hello")), encoding);
    expect([whole.status, await whole.text()]).toEqual([200, expect.stringContaining("hello")]);
    const bomb = await send(compress(bodyOf("a".repeat(2_000_000))), encoding);
    expect(bomb.status).toBe(413);
    const torn = await send(compress(bodyOf("hello")).subarray(0, 20), encoding);
    expect([torn.status, await torn.text()]).toEqual([400, expect.stringContaining("malformed_body")]);
  });

  test("of another encoding is refused", async () => {
    const response = await send(Buffer.from("x"), "br");
    expect([response.status, await response.text()]).toEqual([415, expect.stringContaining("gzip or zstd")]);
  });
});

describe("The session of a coding agent", () => {
  const messages = [{ role: "user", content: "hi" }];
  const sessionOf = async (path: string, json: object, headers: Record<string, string>) => {
    const response = await post(path, json, headers);
    await response.text();
    await app.service.books.flush();
    const id = response.headers.get("x-request-id");
    const found = await app.call(`/spend/logs?request_id=${id}`, { key: MASTER_KEY });
    const [row] = (await found.json()) as { metadata?: { session_id?: string }; session_id?: string }[];
    return row?.session_id ?? row?.metadata?.session_id ?? null;
  };

  const path = "/v1/responses";
  const cacheKey = { input: "hi", prompt_cache_key: "codex-2" };
  const both = { "x-gw-session-id": "own", "x-claude-code-session-id": "claude-1" };
  const claude = { path: "/v1/messages", body: { max_tokens: 20, messages } };
  test.each([
    ["Claude Code", { ...claude, headers: { "x-claude-code-session-id": "claude-1" }, session: "claude-1" }],
    ["Codex", { path, body: { input: "hi" }, headers: { session_id: "codex-1" }, session: "codex-1" }],
    ["Codex, by its cache key", { path, body: cacheKey, headers: {}, session: "codex-2" }],
    ["a caller that names another one", { path, body: cacheKey, headers: both, session: "own" }],
  ])("of %s is in the log", async (_, given) => {
    expect(await sessionOf(given.path, { model: "chat", ...given.body }, { ...given.headers })).toBe(given.session);
  });
});

describe("An operation that is not supported", () => {
  test.each([
    ["POST", "/v1/responses/compact", "shorten `input`"],
    ["GET", "/v1/responses", "no WebSocket"],
    ["GET", "/v1/chat/completions", "not stored"],
    ["GET", "/v1/chat/completions/chatcmpl-1", "not stored"],
    ["DELETE", "/v1/models/chat", "/model/delete"],
  ])("%s %s is 404 and says what to use", async (method, path, words) => {
    const response = await app.call(path, { key, method, ...(method === "POST" ? { json: {} } : {}) });
    expect([response.status, await response.text()]).toEqual([404, expect.stringContaining(words)]);
  });

  test("has the error format of the client that asks", async () => {
    for (const path of ["/upload/v1/files", "/v1/cachedContents", "/v1/interactions"]) {
      const response = await app.call(path, { method: "POST", json: {}, headers: { "x-goog-api-key": key } });
      expect([response.status, await response.json()]).toMatchObject([404, { error: { status: "NOT_FOUND" } }]);
    }
    const response = await post("/v1/skills", {}, { "anthropic-version": "2023-06-01" });
    expect([response.status, await response.json()]).toMatchObject([404, { error: { type: "not_found_error" } }]);
  });

  test("is named where a base URL repeats the version", async () => {
    const advice = expect.stringContaining("its base URL must not end with it");
    const openai = await post("/v1/v1/chat/completions", {});
    expect([openai.status, await openai.json()]).toMatchObject([
      404,
      { error: { message: advice, code: "not_found" } },
    ]);
    const anthropic = await post("/v1/v1/messages", {});
    expect(await anthropic.json()).toMatchObject({ error: { type: "not_found_error", message: advice } });
  });
});

test("a secret for a session and a count of tokens need no model", async () => {
  const secret = await post("/v1/realtime/client_secrets", {});
  expect([secret.status, await secret.json()]).toMatchObject([200, { session: { model: "spoken" } }]);
  const count = await post("/v1/responses/input_tokens", { input: "hello" });
  expect([count.status, await count.json()]).toMatchObject([200, { object: "response.input_tokens" }]);
});

test("a vector store without a name has an empty one", async () => {
  const response = await post("/v1/vector_stores", {});
  expect(await response.json()).toMatchObject({ object: "vector_store", name: "" });
});

test("the usage of a response counts what was written to a cache", async () => {
  const response = await post("/v1/responses", { model: "chat", input: "hi" });
  expect(await response.json()).toMatchObject({ usage: { input_tokens_details: { cache_write_tokens: 0 } } });
});
