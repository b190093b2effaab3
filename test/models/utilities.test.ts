import { afterAll, describe, expect, test } from "bun:test";
import { MASTER_KEY, startApp } from "../app.ts";
import { restrictedKey } from "./restricted-key.ts";

const counter = Bun.serve({
  port: 0,
  async fetch(request) {
    const body = (await request.json()) as { model?: string };
    if (body.model === "claude-broken") return Response.json({ error: { message: "no" } }, { status: 500 });
    return Response.json({ input_tokens: 42, seen: new URL(request.url).pathname });
  },
});
const app = await startApp(`
model_list:
  - model_name: claude
    litellm_params: { model: anthropic/claude-sonnet-4-5, api_key: k, api_base: "http://127.0.0.1:${counter.port}" }
  - model_name: broken
    litellm_params: { model: anthropic/claude-broken, api_key: k, api_base: "http://127.0.0.1:${counter.port}" }
  - model_name: mixed
    litellm_params: { model: openai/gpt-4o, api_key: k }
  - model_name: mixed
    litellm_params: { model: anthropic/claude-sonnet-4-5, api_key: k }
  - model_name: unserved
    litellm_params: { model: petals/some, api_key: k }
`);
afterAll(async () => {
  await app.close();
  await counter.stop(true);
});
const limited = await restrictedKey(app, ["echo"]);

const call = async (path: string, json?: unknown, key = MASTER_KEY) => {
  const response = await app.call(path, { key, ...(json === undefined ? {} : { json }) });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
};
const count = (fields: object, query = "", key = MASTER_KEY) =>
  call(`/utils/token_counter${query}`, { model: "echo", ...fields }, key);
const user = (content: unknown) => ({ role: "user", content });

describe("the token counter", () => {
  test("counts a prompt as its text and a chat with OpenAI's overhead", async () => {
    expect((await count({ prompt: "hello world" })).body).toEqual({
      total_tokens: 2,
      request_model: "echo",
      model_used: "chat",
      tokenizer_type: "openai_tokenizer",
      original_response: null,
      error: false,
      error_message: null,
      status_code: null,
    });
    expect((await count({ messages: [user("hello world")] })).body.total_tokens).toBe(3 + 1 + 2 + 3);
    expect((await count({ messages: [{ ...user("hello world"), name: "Tom" }] })).body.total_tokens).toBe(11);
  });

  test("counts parts, pictures, tools, a system text and Google's turns", async () => {
    const parts = [{ type: "text", text: "hello world" }];
    expect((await count({ messages: [user(parts)] })).body.total_tokens).toBe(9);
    const picture = { type: "image_url", image_url: { url: "data:,", detail: "low" } };
    expect((await count({ messages: [user([...parts, picture])] })).body.total_tokens).toBe(9 + 85);
    const tools = [{ type: "function", function: { name: "f", parameters: { type: "object" } } }];
    expect((await count({ messages: [user(parts)], tools })).body.total_tokens).toBeGreaterThan(15);
    expect((await count({ messages: [user(parts)], system: "hello world" })).body.total_tokens).toBe(9 + 3 + 2);
    const contents = [{ role: "user", parts: [{ text: "hello world" }] }];
    expect((await count({ contents })).body.total_tokens).toBe(9);
  });

  test("counts for a name that is not configured", async () => {
    expect((await count({ model: "whatever", prompt: "hello world" })).body).toMatchObject({
      total_tokens: 2,
      model_used: "whatever",
    });
  });

  test("asks the provider's own counter when told to", async () => {
    const answer = await count({ model: "claude", messages: [user("hi")], system: "be brief" }, "?call_endpoint=true");
    expect(answer.body).toMatchObject({
      total_tokens: 42,
      model_used: "claude-sonnet-4-5",
      tokenizer_type: "anthropic_api",
      original_response: { input_tokens: 42, seen: "/v1/messages/count_tokens" },
    });
    const own = await count({ messages: [user("hi")] }, "?call_endpoint=true");
    expect(own.body.tokenizer_type).toBe("openai_tokenizer");
  });

  test("tells a provider's failure, and asks none that the key may not call", async () => {
    expect((await count({ model: "broken", prompt: "hi" }, "?call_endpoint=true")).status).toBe(502);
    expect((await count({ model: "claude", prompt: "hi" }, "?call_endpoint=true", limited.key)).status).toBe(403);
    expect((await count({ model: "none", prompt: "hi" }, "?call_endpoint=true")).status).toBe(404);
    expect((await count({ model: "claude", prompt: "hi" }, "", limited.key)).body.model_used).toBe("claude");
  });

  test("needs something to count, and a model", async () => {
    expect((await count({})).body).toMatchObject({ error: { code: "invalid_request" } });
    expect((await call("/utils/token_counter", { prompt: "hi" })).status).toBe(422);
    expect((await count({ prompt: "hi" }, "?call_endpoint=perhaps")).status).toBe(422);
  });
});

describe("supported parameters", () => {
  const params = async (model: string, key = MASTER_KEY) =>
    call(`/utils/supported_openai_params?model=${encodeURIComponent(model)}`, undefined, key);

  test("are listed for a group, for provider/model and for a name that everybody knows", async () => {
    for (const model of ["echo", "claude", "openai/gpt-4o", "gpt-4o", "anthropic/anything"]) {
      expect((await params(model)).body.supported_openai_params).toContainValues(["temperature", "tools"]);
    }
    expect((await params("echo-embedding")).body.supported_openai_params).toEqual([
      "dimensions",
      "encoding_format",
      "user",
    ]);
  });

  test("of a group are those that each of its deployments honours", async () => {
    const [mixed, one, other] = (
      await Promise.all(["mixed", "openai/gpt-4o", "claude"].map((name) => params(name)))
    ).map(({ body }) => new Set(body.supported_openai_params as string[]));
    expect([...(mixed ?? [])].every((name) => one?.has(name) && other?.has(name))).toBe(true);
    expect(mixed?.size).toBeLessThan(one?.size ?? 0);
  });

  test.each(["nobody-knows", "", "unserved", "nobody/model", "__proto__"])("of %p are 4xx", async (model) => {
    expect((await params(model)).status).toBe(model === "" ? 422 : 400);
  });
});

describe("a dry run", () => {
  const dry = (call_type: string, request_body: object, key = MASTER_KEY) =>
    call("/utils/transform_request", { call_type, request_body }, key);

  test.each([
    ["completion", { model: "echo", messages: [user("hi")] }, "/chat/completions"],
    ["acompletion", { model: "echo", messages: [user("hi")] }, "/chat/completions"],
    ["text_completion", { model: "echo-completion", prompt: "hi" }, "/completions"],
    ["embedding", { model: "echo-embedding", input: "hi" }, "/embeddings"],
    ["image_generation", { model: "echo-image", prompt: "hi" }, "/images/generations"],
    ["speech", { model: "echo-speech", input: "hi", voice: "alloy" }, "/audio/speech"],
    ["moderation", { model: "echo-moderation", input: "hi" }, "/moderations"],
    ["text_completion", { model: "claude", prompt: "hi" }, "/v1/messages"],
  ])("of %s with %j goes to %s", async (type, body, path) => {
    const answer = await dry(type, body);
    expect([answer.status, answer.body.error]).toEqual([200, null]);
    expect(answer.body.raw_request_api_base).toEndWith(path);
    expect(JSON.stringify(answer.body.raw_request_body)).toContain("hi");
  });

  test("shows the address to operators alone", async () => {
    const body = { model: "echo", messages: [user("hi")] };
    const shown = (await dry("completion", body)).body;
    const hidden = (await dry("completion", body, limited.key)).body;
    expect(shown.raw_request_api_base).toBeString();
    expect(hidden).toEqual({ ...shown, raw_request_api_base: null });
  });

  test("is refused as the call itself would be", async () => {
    const chat = { model: "echo", messages: [user("hi")] };
    expect((await dry("completion", { model: "none", messages: [user("hi")] })).status).toBe(404);
    expect((await dry("completion", { ...chat, api_key: "x" })).status).toBe(403);
    expect((await dry("completion", { ...chat, model: "claude" }, limited.key)).status).toBe(403);
    expect((await dry("rerank", { model: "echo", query: "a", documents: ["b"] })).status).toBe(400);
    expect((await dry("sing", chat)).status).toBe(422);
    expect((await dry("completion", { model: "echo", messages: "hi" })).body).toMatchObject({
      detail: [{ loc: ["body", "request_body", "messages"] }],
    });
    expect((await dry("moderation", { input: "hi" })).status).toBe(422);
  });
});
