import { describe, expect, test } from "bun:test";
import type { ChatRequest } from "../../contract/chat.ts";
import { azureResponses } from "../azure/provider.ts";
import type { Provider, Target } from "../dialect.ts";
import { openaiResponses } from "../openai/provider.ts";
import { jsonOf, targetOf } from "../openai/test-target.ts";

const target = targetOf("openai", { upstreamModel: "o3-pro" });
const plain = targetOf("openai", { upstreamModel: "gpt-4.1" });

const encode = (fields: object, at: Target = plain, provider: Provider = openaiResponses) => {
  const request = { model: "g", messages: [{ role: "user", content: "Hi" }], ...fields } as ChatRequest;
  const encoded = provider.chat?.encode(request, at);
  if (!encoded) throw new Error("no chat");
  return encoded;
};
const body = (fields: object, at?: Target) => jsonOf(encode(fields, at));
const input = (...messages: object[]) => body({ messages }).input;
const refusalOf = (work: () => unknown): unknown => {
  try {
    return work();
  } catch (thrown) {
    return thrown;
  }
};

describe("a chat as a response", () => {
  test("goes to its own path with the key, and nothing is kept of it", () => {
    const { url, headers } = encode({});
    expect(url).toBe("https://api.openai.com/v1/responses");
    expect(headers).toEqual({ "content-type": "application/json", authorization: "Bearer sk-deployment" });
    expect(body({})).toEqual({
      model: "gpt-4.1",
      input: [{ type: "message", role: "user", content: "Hi" }],
      store: false,
    });
    expect(body({ store: true }).store).toBe(true);
  });

  test("has what was asked for under the names that a response has", () => {
    const asked = {
      ...{ max_completion_tokens: 99, temperature: 0.5, top_p: 0.9, user: "u", safety_identifier: "s" },
      ...{ prompt_cache_key: "k", service_tier: "flex", verbosity: "low", reasoning_effort: "high" },
      ...{ logprobs: true, top_logprobs: 3, stream: true, stream_options: { include_usage: true } },
    };
    const { model: _model, input: _input, store: _store, ...sent } = body(asked);
    expect(sent).toEqual({
      ...{ max_output_tokens: 99, temperature: 0.5, top_p: 0.9, user: "u", safety_identifier: "s" },
      ...{ prompt_cache_key: "k", service_tier: "flex", text: { verbosity: "low" }, reasoning: { effort: "high" } },
      ...{ include: ["message.output_text.logprobs"], top_logprobs: 3, stream: true },
    });
  });

  test("leaves room for sixteen tokens, the least there is", () => {
    expect(body({ max_tokens: 3 }).max_output_tokens).toBe(16);
    expect(body({ max_tokens: 3, max_completion_tokens: 40 }).max_output_tokens).toBe(40);
  });

  test("asks for sealed thoughts where the model has any, beside what the caller wants to have", () => {
    expect(body({}, target).include).toEqual(["reasoning.encrypted_content"]);
    expect(body({}).include).toBeUndefined();
    expect(body({ include: ["message.input_image.image_url"] }, target).include).toEqual([
      "message.input_image.image_url",
      "reasoning.encrypted_content",
    ]);
  });

  test("takes OpenAI's own words for thinking and text beside a chat's", () => {
    const own = { reasoning: { summary: "auto" }, text: { verbosity: "high" }, truncation: "auto" };
    expect(body({ ...own, reasoning_effort: "low", verbosity: "low" }, target)).toMatchObject({
      reasoning: { effort: "low", summary: "auto" },
      text: { verbosity: "high" },
      truncation: "auto",
    });
    expect(body({ reasoning_summary: "detailed" }, target).reasoning).toEqual({ summary: "detailed" });
  });

  test.each([
    ["json_object", { type: "json_object" }, { type: "json_object" }],
    [
      "a schema",
      { type: "json_schema", json_schema: { name: "n", strict: true, schema: { type: "object" }, description: "d" } },
      { type: "json_schema", name: "n", strict: true, schema: { type: "object" }, description: "d" },
    ],
  ])("has %s for the form of its text", (_, response_format, format) => {
    expect(body({ response_format }).text).toEqual({ format });
  });

  test("a plain text needs no form", () => {
    expect(body({ response_format: { type: "text" } }).text).toBeUndefined();
  });

  test.each(["background", "conversation", "previous_response_id", "max_output_tokens"])(
    "refuses %s, which no chat has",
    (name) => {
      expect(refusalOf(() => body({ [name]: "x" }))).toMatchObject({ kind: "invalid_request", param: name });
    },
  );
});

describe("the parameters", () => {
  const params = (model: string) => openaiResponses.supportedParams("chat", model);
  test("that a response has no place for are not honoured", () => {
    for (const name of ["n", "stop", "seed", "logit_bias", "frequency_penalty", "presence_penalty", "prediction"])
      expect(params("gpt-4.1")).not.toContain(name);
    for (const name of ["functions", "function_call", "audio", "modalities"])
      expect(params("gpt-4.1")).not.toContain(name);
  });

  test("are those of the model besides", () => {
    expect(params("gpt-4.1")).toContain("temperature");
    expect(params("gpt-4.1")).toContain("web_search_options");
    expect(params("gpt-4.1-nano")).not.toContain("web_search_options");
    expect(params("gpt-4.1")).not.toContain("reasoning_effort");
    expect(params("o3-pro")).toContain("reasoning_effort");
    expect(params("o3-pro")).not.toContain("temperature");
    expect(openaiResponses.supportedParams("embedding", "o3-pro")).toEqual([]);
  });
});

describe("what was said", () => {
  test("is items: who speaks, what with, and texts stay texts", () => {
    expect(
      input(
        { role: "system", content: "s" },
        { role: "developer", content: [{ type: "text", text: "d" }] },
        { role: "user", name: "ann", content: "u" },
        { role: "assistant", content: [{ type: "text", text: "a" }] },
        { role: "assistant", content: null, refusal: null },
        { role: "assistant", content: null, refusal: "no" },
      ),
    ).toEqual([
      { type: "message", role: "system", content: "s" },
      { type: "message", role: "developer", content: [{ type: "input_text", text: "d" }] },
      { type: "message", role: "user", content: "u" },
      { type: "message", role: "assistant", content: "a" },
      { type: "message", role: "assistant", content: "no" },
    ]);
  });

  test("has pictures and files", () => {
    const content = [
      { type: "text", text: "t" },
      { type: "image_url", image_url: "https://a/b.png" },
      { type: "image_url", image_url: { url: "data:image/png;base64,AA", detail: "low" } },
      { type: "file", file: { file_data: "data:application/pdf;base64,AA", filename: "a.pdf" } },
      { type: "file", file: { file_id: "file-1" } },
    ];
    expect(input({ role: "user", content })).toMatchObject([
      {
        content: [
          { type: "input_text", text: "t" },
          { type: "input_image", image_url: "https://a/b.png", detail: "auto" },
          { type: "input_image", image_url: "data:image/png;base64,AA", detail: "low" },
          { type: "input_file", file_data: "data:application/pdf;base64,AA", filename: "a.pdf" },
          { type: "input_file", file_id: "file-1" },
        ],
      },
    ]);
    const sound = { type: "input_audio", input_audio: { data: "AA", format: "wav" } };
    expect(refusalOf(() => input({ role: "user", content: [sound] }))).toMatchObject({
      kind: "invalid_request",
      param: "messages",
    });
  });

  test("has calls and what came of them, also in their older form", () => {
    const call = (id: string) => ({ id, type: "function", function: { name: "look", arguments: '{"at":1}' } });
    const shown = [{ type: "image_url", image_url: { url: "https://a/b.png" } }];
    expect(
      input(
        { role: "assistant", content: "I look.", tool_calls: [call("c1"), call("c2")] },
        { role: "tool", tool_call_id: "c1", content: "cat" },
        { role: "tool", tool_call_id: "c2", content: shown },
        { role: "assistant", function_call: { name: "look", arguments: "" } },
        { role: "function", name: "look", content: "dog" },
      ),
    ).toEqual([
      { type: "message", role: "assistant", content: "I look." },
      { type: "function_call", call_id: "c1", name: "look", arguments: '{"at":1}' },
      { type: "function_call", call_id: "c2", name: "look", arguments: '{"at":1}' },
      { type: "function_call_output", call_id: "c1", output: "cat" },
      {
        type: "function_call_output",
        call_id: "c2",
        output: [{ type: "input_image", image_url: "https://a/b.png", detail: "auto" }],
      },
      { type: "function_call", call_id: "call_3", name: "look", arguments: "{}" },
      { type: "function_call_output", call_id: "call_3", output: "dog" },
    ]);
  });
});

describe("tools", () => {
  const tool = { type: "function", function: { name: "f", description: "d", parameters: { type: "object" } } };
  test("say what they are, and that they are not strict, which they would be here", () => {
    const sent = body({ tools: [tool, { type: "function", function: { name: "g", strict: true } }] }).tools;
    expect(sent).toEqual([
      { type: "function", name: "f", description: "d", parameters: { type: "object" }, strict: false },
      { type: "function", name: "g", parameters: { type: "object", properties: {} }, strict: true },
    ]);
  });

  test.each([
    ["auto", "auto"],
    ["none", "none"],
    ["required", "required"],
    [
      { type: "function", function: { name: "f" } },
      { type: "function", name: "f" },
    ],
    [
      {
        type: "allowed_tools",
        allowed_tools: { mode: "required", tools: [{ type: "function", function: { name: "f" } }] },
      },
      { type: "allowed_tools", mode: "required", tools: [{ type: "function", name: "f" }] },
    ],
  ])("are chosen by %j", (tool_choice, sent) => {
    expect(body({ tools: [tool], tool_choice, parallel_tool_calls: false })).toMatchObject({
      tool_choice: sent,
      parallel_tool_calls: false,
    });
  });

  test("that OpenAI would carry out itself, or that are no functions, are refused", () => {
    for (const type of ["web_search", "custom", "mcp"])
      expect(refusalOf(() => body({ tools: [{ type }] }))).toMatchObject({ kind: "invalid_request", param: "tools" });
  });
});

describe("Azure's address", () => {
  const BASE = "https://acme.openai.azure.com";
  test.each([
    [BASE, null, `${BASE}/openai/v1/responses`],
    [BASE, "2024-08-01-preview", `${BASE}/openai/v1/responses`],
    [`${BASE}/`, "2025-04-01-preview", `${BASE}/openai/responses?api-version=2025-04-01-preview`],
    [BASE, "preview", `${BASE}/openai/v1/responses?api-version=preview`],
    [`${BASE}/openai/v1/`, "2025-04-01-preview", `${BASE}/openai/v1/responses`],
    [`${BASE}/openai/v1/responses`, null, `${BASE}/openai/v1/responses`],
    [
      `${BASE}/openai/responses?api-version=2025-04-01-preview`,
      null,
      `${BASE}/openai/responses?api-version=2025-04-01-preview`,
    ],
    [`${BASE}/openai/deployments/other/chat/completions`, null, `${BASE}/openai/v1/responses`],
  ])("of %s in version %s is %s, and the body names the deployment", (apiBase, apiVersion, url) => {
    const at = targetOf("azure", { apiBase, apiVersion, upstreamModel: "gpt5_series/our-pro" });
    const sent = encode({}, at, azureResponses);
    expect([sent.url, sent.headers["api-key"]]).toEqual([url, "sk-deployment"]);
    expect(jsonOf(sent)).toMatchObject({ model: "our-pro", include: ["reasoning.encrypted_content"] });
  });
});
