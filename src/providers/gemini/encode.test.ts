import { describe, expect, test } from "bun:test";
import { GatewayError } from "../../contract/errors.ts";
import type { Target } from "../dialect.ts";
import { gemini } from "./provider.ts";
import { bodyOf, chat, target } from "./test-gemini.ts";

const send = (fields: Readonly<Record<string, unknown>> = {}, to: Target = target()) => {
  if (!gemini.chat) throw new Error("no chat");
  return gemini.chat.encode(chat(fields), to);
};
const body = (fields: Readonly<Record<string, unknown>>, upstreamModel = "gemini-2.5-flash") =>
  bodyOf(send(fields, target({ upstreamModel })));
const config = (fields: Readonly<Record<string, unknown>>, upstreamModel?: string) =>
  body(fields, upstreamModel).generationConfig;

const call = (id: string, name: string, args: object, more: object = {}) => ({
  id,
  type: "function",
  function: { name, arguments: JSON.stringify(args) },
  ...more,
});
const schema = {
  $schema: "http://json-schema.org/draft-07/schema#",
  type: "object",
  properties: { city: { type: "string" } },
  required: ["city"],
  additionalProperties: false,
};
const weather = { type: "function", function: { name: "get_weather", description: "Weather", parameters: schema } };

describe("the address", () => {
  test.each([
    [{}, "https://generativelanguage.googleapis.com/v1beta/models/gemini-2.5-flash:generateContent"],
    [{ apiBase: "https://proxy.test/" }, "https://proxy.test/v1beta/models/gemini-2.5-flash:generateContent"],
    [{ apiBase: "https://proxy.test/v1" }, "https://proxy.test/v1/models/gemini-2.5-flash:generateContent"],
    [
      { apiVersion: "v1alpha" },
      "https://generativelanguage.googleapis.com/v1alpha/models/gemini-2.5-flash:generateContent",
    ],
    [
      { upstreamModel: "tunedModels/mine" },
      "https://generativelanguage.googleapis.com/v1beta/tunedModels/mine:generateContent",
    ],
    [
      { upstreamModel: "a?b#c:d" },
      "https://generativelanguage.googleapis.com/v1beta/models/a%3Fb%23c%3Ad:generateContent",
    ],
  ])("of a target with %j", (change, url) => {
    expect(send({}, target(change)).url).toBe(url);
  });

  test("of a stream asks for server-sent events", () => {
    expect(send({ stream: true }).url).toEndWith("/models/gemini-2.5-flash:streamGenerateContent?alt=sse");
  });

  test("cannot be left by a model's name", () => {
    for (const upstreamModel of ["../../x", "models/../../x", "a//b"]) {
      expect(() => send({}, target({ upstreamModel }))).toThrow("cannot exist");
    }
  });

  test("has the deployment's key, else that of the environment", () => {
    expect(send().headers["x-goog-api-key"]).toBe("key-1");
    const env = (name: string) => ({ GOOGLE_API_KEY: "key-2" })[name];
    expect(send({}, target({ apiKey: null, env })).headers["x-goog-api-key"]).toBe("key-2");
    expect(() => send({}, target({ apiKey: null }))).toThrow("GEMINI_API_KEY");
  });
});

test("a rich request is written in Google's form", () => {
  const fields = {
    messages: [
      { role: "system", content: "Be brief." },
      { role: "developer", content: [{ type: "text", text: "Use tools." }] },
      { role: "user", content: "Hello" },
      {
        role: "user",
        content: [
          { type: "text", text: "What is this?" },
          { type: "image_url", image_url: { url: "data:image/png;base64,AAAA", detail: "high" } },
          { type: "input_audio", input_audio: { data: "BBBB", format: "wav" } },
          { type: "file", file: { filename: "a.pdf", file_data: "data:application/pdf;base64,CCCC" } },
        ],
      },
      { role: "assistant", content: null, tool_calls: [call("c1", "get_weather", { city: "Oslo" })] },
      { role: "tool", tool_call_id: "c1", content: "rain" },
      { role: "user", content: "Thanks" },
    ],
    tools: [weather],
    tool_choice: "required",
    temperature: 0.3,
    top_p: 0.9,
    top_k: 40,
    max_tokens: 100,
    max_completion_tokens: 200,
    stop: "END",
    n: 2,
    seed: 7,
    presence_penalty: 0.1,
    frequency_penalty: 0.2,
    logprobs: true,
    top_logprobs: 3,
    reasoning_effort: "low",
    user: "u1",
    safety_settings: [{ category: "HARM_CATEGORY_HARASSMENT", threshold: "BLOCK_NONE" }],
    cachedContent: "cachedContents/1",
  };
  expect(body(fields)).toEqual({
    contents: [
      {
        role: "user",
        parts: [
          { text: "Hello" },
          { text: "What is this?" },
          { inlineData: { mimeType: "image/png", data: "AAAA" } },
          { inlineData: { mimeType: "audio/wav", data: "BBBB" } },
          { inlineData: { mimeType: "application/pdf", data: "CCCC" } },
        ],
      },
      { role: "model", parts: [{ functionCall: { name: "get_weather", args: { city: "Oslo" } } }] },
      { role: "user", parts: [{ functionResponse: { name: "get_weather", response: { output: "rain" } } }] },
      { role: "user", parts: [{ text: "Thanks" }] },
    ],
    systemInstruction: { parts: [{ text: "Be brief." }, { text: "Use tools." }] },
    tools: [
      {
        functionDeclarations: [
          {
            name: "get_weather",
            description: "Weather",
            parametersJsonSchema: {
              type: "object",
              properties: { city: { type: "string" } },
              required: ["city"],
              additionalProperties: false,
            },
          },
        ],
      },
    ],
    toolConfig: { functionCallingConfig: { mode: "ANY" } },
    generationConfig: {
      temperature: 0.3,
      topP: 0.9,
      topK: 40,
      maxOutputTokens: 200,
      stopSequences: ["END"],
      candidateCount: 2,
      seed: 7,
      presencePenalty: 0.1,
      frequencyPenalty: 0.2,
      responseLogprobs: true,
      logprobs: 3,
      thinkingConfig: { thinkingBudget: 1024, includeThoughts: true },
    },
    safetySettings: [{ category: "HARM_CATEGORY_HARASSMENT", threshold: "BLOCK_NONE" }],
    cachedContent: "cachedContents/1",
  });
});

describe("tools", () => {
  const toolConfig = (fields: object) => body({ tools: [weather], ...fields }).toolConfig;

  test.each([
    ["auto", { mode: "AUTO" }],
    ["none", { mode: "NONE" }],
    ["required", { mode: "ANY" }],
    [
      { type: "function", function: { name: "get_weather" } },
      { mode: "ANY", allowedFunctionNames: ["get_weather"] },
    ],
    [
      { type: "allowed_tools", allowed_tools: { mode: "auto", tools: [weather] } },
      { mode: "VALIDATED", allowedFunctionNames: ["get_weather"] },
    ],
  ])("are chosen by %j", (tool_choice, functionCallingConfig) => {
    expect(toolConfig({ tool_choice })).toEqual({ functionCallingConfig });
  });

  test("are offered without a word about the choice when the caller says none", () => {
    expect(toolConfig({})).toBeUndefined();
    expect(body({ tool_choice: "auto" })).not.toHaveProperty("toolConfig");
  });

  test("of the older interface are declared and chosen", () => {
    expect(body({ functions: [{ name: "f" }], function_call: { name: "f" } })).toMatchObject({
      tools: [{ functionDeclarations: [{ name: "f" }] }],
      toolConfig: { functionCallingConfig: { mode: "ANY", allowedFunctionNames: ["f"] } },
    });
  });

  test("without parameters have no schema", () => {
    const empty = { type: "function", function: { name: "f", parameters: { type: "object", properties: {} } } };
    expect(body({ tools: [empty] }).tools).toEqual([{ functionDeclarations: [{ name: "f" }] }]);
  });

  test("whose parameters may have any name keep their schema where it can be told", () => {
    const parameters = { type: "object", additionalProperties: { type: "string" } };
    const open = { type: "function", function: { name: "f", parameters } };
    expect(body({ tools: [open] }).tools).toEqual([
      { functionDeclarations: [{ name: "f", parametersJsonSchema: parameters }] },
    ]);
    expect(body({ tools: [open] }, "gemini-2.0-flash").tools).toEqual([{ functionDeclarations: [{ name: "f" }] }]);
  });

  test("have the older form of schemas for models that know no other", () => {
    expect(body({ tools: [weather] }, "gemini-2.0-flash").tools).toEqual([
      {
        functionDeclarations: [
          {
            name: "get_weather",
            description: "Weather",
            parameters: { type: "OBJECT", properties: { city: { type: "STRING" } }, required: ["city"] },
          },
        ],
      },
    ]);
  });

  test("of Google's own pass as they are, and the web search option is one", () => {
    expect(body({ tools: [{ urlContext: {} }], web_search_options: {} }).tools).toEqual([
      { urlContext: {} },
      { googleSearch: {} },
    ]);
    expect(() => body({ tools: [{ type: "code_interpreter" }] })).toThrow("code_interpreter");
  });
});

describe("the form of the answer", () => {
  const format = { type: "json_schema", json_schema: { name: "x", schema } };

  test("is JSON, or JSON of a schema", () => {
    expect(config({ response_format: { type: "json_object" } })).toEqual({ responseMimeType: "application/json" });
    const { $schema: _, ...bare } = schema;
    expect(config({ response_format: format })).toEqual({
      responseMimeType: "application/json",
      responseJsonSchema: bare,
    });
    expect(config({ response_format: format }, "gemini-2.0-flash")).toMatchObject({
      responseSchema: { type: "OBJECT", required: ["city"] },
    });
    expect(body({ response_format: { type: "text" } })).not.toHaveProperty("generationConfig");
  });

  test("is asked for in words where tools and JSON exclude each other", () => {
    const older = body({ response_format: format, tools: [weather] });
    expect(older).not.toHaveProperty("generationConfig");
    expect(JSON.stringify(older.systemInstruction)).toContain("JSON Schema");
    expect(config({ response_format: format, tools: [weather] }, "gemini-3-flash")).toHaveProperty(
      "responseJsonSchema",
    );
  });

  test("may be of several kinds", () => {
    expect(config({ modalities: ["text", "image"] })).toEqual({ responseModalities: ["TEXT", "IMAGE"] });
  });
});

describe("thinking", () => {
  test.each([
    ["gemini-2.5-flash", "none", { thinkingBudget: 0, includeThoughts: false }],
    ["gemini-2.5-pro", "none", { thinkingBudget: 128, includeThoughts: false }],
    ["gemini-2.5-flash", "medium", { thinkingBudget: 8192, includeThoughts: true }],
    ["gemini-2.5-pro", "high", { thinkingBudget: 24_576, includeThoughts: true }],
    ["gemini-3-flash-preview", "minimal", { thinkingLevel: "MINIMAL", includeThoughts: true }],
    ["gemini-3.1-pro-preview", "minimal", { thinkingLevel: "LOW", includeThoughts: true }],
    ["gemini-3-pro-preview", "high", { thinkingLevel: "HIGH", includeThoughts: true }],
  ])("of %s at effort %s", (model, reasoning_effort, expected) => {
    expect(config({ reasoning_effort }, model)).toEqual({ thinkingConfig: expected });
  });

  test("can be asked for as Anthropic's users do", () => {
    expect(config({ thinking: { type: "enabled", budget_tokens: 2000 } })).toEqual({
      thinkingConfig: { thinkingBudget: 2000, includeThoughts: true },
    });
  });

  test("of an unknown effort is the caller's fault", () => {
    expect(() => config({ reasoning_effort: "constructor" })).toThrow("reasoning_effort");
  });

  test("cannot be asked of models that do not think", () => {
    expect(gemini.supportedParams("chat", "gemini-2.5-flash")).toContain("reasoning_effort");
    expect(gemini.supportedParams("chat", "gemini-2.0-flash")).not.toContain("reasoning_effort");
    expect(gemini.supportedParams("chat", "gemini-2.5-flash")).not.toContain("logit_bias");
    expect(gemini.supportedParams("speech", "gemini-2.5-flash")).toEqual([]);
  });
});

test("Google's own fields win over what OpenAI's parameters say", () => {
  const fields = {
    temperature: 0.1,
    reasoning_effort: "low",
    tools: [weather],
    tool_choice: "auto",
    generation_config: { temperature: 0.9, topK: 3 },
    thinkingConfig: { thinkingBudget: -1 },
    tool_config: { functionCallingConfig: { mode: "NONE" } },
    systemInstruction: { parts: [{ text: "mine" }] },
    labels: { team: "a" },
  };
  const sent = body(fields);
  expect(sent.generationConfig).toEqual({ temperature: 0.9, topK: 3, thinkingConfig: { thinkingBudget: -1 } });
  expect(sent.toolConfig).toEqual({ functionCallingConfig: { mode: "NONE" } });
  expect(sent.systemInstruction).toEqual({ parts: [{ text: "mine" }] });
  expect(sent.labels).toEqual({ team: "a" });
});

test("tokens are counted with everything that the model would see", () => {
  const counter = gemini.chat?.countTokens;
  const sent = counter?.encode(
    chat({
      messages: [
        { role: "system", content: "S" },
        { role: "user", content: "U" },
      ],
    }),
    target(),
  );
  expect(sent?.url).toEndWith("/v1beta/models/gemini-2.5-flash:countTokens");
  expect(sent && bodyOf(sent)).toEqual({
    generateContentRequest: {
      model: "models/gemini-2.5-flash",
      contents: [{ role: "user", parts: [{ text: "U" }] }],
      systemInstruction: { parts: [{ text: "S" }] },
    },
  });
  expect(counter?.decode({ totalTokens: 12 })).toBe(12);
  for (const odd of [null, [], {}, { totalTokens: "12" }, { totalTokens: -1 }]) {
    expect(() => counter?.decode(odd)).toThrow(GatewayError);
  }
});
