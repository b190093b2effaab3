import { afterAll, describe, expect, test } from "bun:test";
import { PIXEL } from "../e2e/dialect-suite.ts";
import { type Generated, partsIn, say, startGoogle, TOOLS, textIn } from "./google-app.ts";

const world = await startGoogle({ litellm_settings: { cache: true, cache_params: { mode: "default_off" } } });
const { app, books, key, post, answer, streamed, asked } = world;
afterAll(() => world.close());

const ECHOED = 'Echo of "hello", with ünïcode ✓.';
const MODELS = ["gemini", "gemini-3", "gpt", "claude"] as const;
const USAGE = { promptTokenCount: 11, candidatesTokenCount: 6, totalTokenCount: 17 };
const [, PIXEL_DATA = ""] = PIXEL.split(",");

describe.each(MODELS)("content of %s", (model) => {
  test("is answered in Google's form, with its cost", async () => {
    const response = await post(model, {});
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({
      candidates: [{ content: { parts: [{ text: ECHOED }], role: "model" }, finishReason: "STOP", index: 0 }],
      usageMetadata: USAGE,
      modelVersion: model,
      responseId: expect.stringMatching(/^[\w-]+$/),
    });
    expect(response.headers.get("content-type")).toStartWith("application/json");
    expect(response.headers.get("x-gw-model-id")).toBe(`${model}-id`);
    expect(response.headers.get("x-gw-response-cost")).toBe("0.000023");
  });

  test("is in the books as the call that it is", async () => {
    await post(model, { user: "user_7" });
    expect(await books.last()).toMatchObject({
      status: "succeeded",
      endpoint: `/v1beta/models/${model}:generateContent`,
      operation: "chat",
      endUser: "user_7",
      promptTokens: 11,
      completionTokens: 6,
      cost: 23_000n,
    });
  });

  test("is streamed as events, with the count at its end", async () => {
    const response = await post(model, {}, "streamGenerateContent?alt=sse");
    expect(response.headers.get("content-type")).toStartWith("text/event-stream");
    const pieces = (await response.text())
      .split("\n\n")
      .filter((event) => event !== "")
      .map((event) => JSON.parse(event.replace(/^data: /, "")) as Generated);
    expect(textIn(pieces)).toBe(ECHOED);
    expect(pieces.length).toBeGreaterThan(2);
    expect(pieces.slice(0, -1).every(({ candidates: [one] }) => one?.finishReason === undefined)).toBeTrue();
    expect(pieces.at(-1)).toMatchObject({ candidates: [{ finishReason: "STOP", index: 0 }], usageMetadata: USAGE });
    expect(new Set(pieces.map(({ modelVersion }) => modelVersion))).toEqual(new Set([model]));
    expect(new Set(pieces.map(({ responseId }) => responseId)).size).toBe(1);
    expect(await books.last()).toMatchObject({ status: "succeeded", stream: true, promptTokens: 11 });
  });

  test("is streamed as one list where events were not asked for", async () => {
    const response = await post(model, {}, "streamGenerateContent");
    expect(response.headers.get("content-type")).toStartWith("application/json");
    const pieces = (await response.json()) as Generated[];
    expect(textIn(pieces)).toBe(ECHOED);
    expect(pieces.at(-1)).toMatchObject({ candidates: [{ finishReason: "STOP" }], usageMetadata: USAGE });
  });

  test("calls functions, also in a stream, and takes their results", async () => {
    const fields = { ...say("both tools"), tools: TOOLS };
    const plain = await answer(model, fields);
    expect(plain.candidates[0]?.finishReason).toBe("STOP");
    const parts = plain.candidates[0]?.content.parts ?? [];
    const calls = [
      { functionCall: { name: "get_weather", args: { city: "Paris" }, id: expect.any(String) } },
      { functionCall: { name: "get_time", args: { zone: "Europe/Paris" }, id: expect.any(String) } },
    ];
    expect(parts).toMatchObject(calls);
    const told = partsIn(await streamed(model, fields)).filter(({ functionCall }) => functionCall !== undefined);
    expect(told).toMatchObject(calls);
    for (const made of [parts, told]) {
      const results = made.map(({ functionCall }) => {
        const { id, name } = functionCall as { id: string; name: string };
        return { functionResponse: { id, name, response: { output: `${name} is fine` } } };
      });
      const turns = [
        { role: "user", parts: [{ text: "both tools" }] },
        { role: "model", parts: made },
      ];
      const next = await answer(model, { tools: TOOLS, contents: [...turns, { role: "user", parts: results }] });
      expect(next.candidates[0]?.content.parts[0]?.text).toMatch(/get_weather is fine.* and .*get_time is fine/);
    }
  });

  test("finds the call of a result that has no id by its name and order", async () => {
    const call = (city: string) => ({ functionCall: { name: "get_weather", args: { city } } });
    const result = (output: string) => ({ functionResponse: { name: "get_weather", response: { output } } });
    const contents = [
      { role: "user", parts: [{ text: "use the tool" }] },
      { role: "model", parts: [call("Paris"), call("Rome")] },
      { role: "function", parts: [result("wet"), result("dry")] },
    ];
    const next = await answer(model, { tools: TOOLS, contents });
    expect(next.candidates[0]?.content.parts[0]?.text).toMatch(/wet.* and .*dry/);
  });

  test("has instructions, pictures and a limit", async () => {
    const told = await answer(model, { ...say("system"), systemInstruction: { parts: [{ text: "Be brief." }] } });
    expect(told.candidates[0]?.content.parts).toEqual([{ text: "My orders: Be brief." }]);
    const inlineData = { mimeType: "image/png", data: PIXEL_DATA };
    const shown = await answer(model, { contents: { parts: [{ text: "picture" }, { inlineData }] } });
    expect(shown.candidates[0]?.content.parts).toEqual([{ text: "I see 1 picture(s)." }]);
    const long = await answer(model, { ...say("long"), generationConfig: { maxOutputTokens: 3 } });
    expect(long.candidates[0]?.finishReason).toBe("MAX_TOKENS");
  });

  test("is counted", async () => {
    for (const body of [say("hello"), { generateContentRequest: say("hello") }]) {
      const response = await app.call(`/v1beta/models/${model}:countTokens`, { key, json: body });
      expect([response.status, await response.json()]).toEqual([200, { totalTokens: expect.any(Number) }]);
    }
  });

  test("breaks off with an error in its last piece", async () => {
    for (const action of ["streamGenerateContent", "streamGenerateContent?alt=sse"]) {
      const text = await (await post(model, say("cut"), action)).text();
      const last = action.endsWith("sse")
        ? text
            .trimEnd()
            .split("\n\n")
            .at(-1)
            ?.replace(/^data: /, "")
        : text;
      const read = JSON.parse(last ?? "") as Generated | Generated[];
      const piece = Array.isArray(read) ? read.at(-1) : read;
      expect(piece?.error).toMatchObject({ code: 502, status: "INTERNAL", message: expect.any(String) });
    }
    expect(await books.last()).toMatchObject({ status: "partial" });
  });
});

describe("the address", () => {
  test.each(["/v1beta/models/gpt", "/v1/models/gpt", "/models/gpt"])("%s is one", async (path) => {
    const response = await app.call(`${path}:generateContent`, { key, json: say("hello") });
    expect([response.status, textIn([(await response.json()) as Generated])]).toEqual([200, ECHOED]);
  });

  test.each(["openai/gpt:8b", "openai%2Fgpt%3A8b"])("takes the name %s: the last colon divides", async (name) => {
    const response = await app.call(`/v1beta/models/${name}:generateContent`, { key, json: say("hello") });
    expect([response.status, ((await response.json()) as Generated).modelVersion]).toEqual([200, "openai/gpt:8b"]);
  });

  test("leads to the model that answers without any provider", async () => {
    const { candidates } = await answer("echo", {});
    expect(candidates[0]?.content.parts[0]?.text).toContain("hello");
  });

  test("leads to a group that stands in for another", async () => {
    const { modelVersion, candidates } = await answer("backed", {});
    expect([modelVersion, candidates[0]?.content.parts]).toEqual(["gpt", [{ text: ECHOED }]]);
  });
});

describe("models are listed in Google's form", () => {
  const get = async (path: string) => (await app.call(path, { headers: { "x-goog-api-key": key } })).json();

  test("all of them, page by page, and one by its name", async () => {
    const { models } = (await get("/v1beta/models")) as { models: { name: string }[] };
    expect(models.map(({ name }) => name)).toContain("models/openai/gpt:8b");
    const first = (await get("/v1beta/models?pageSize=2")) as { models: object[]; nextPageToken: string };
    expect(first.models).toEqual(models.slice(0, 2));
    const second = await get(`/v1beta/models?pageSize=2&pageToken=${first.nextPageToken}`);
    expect(second).toMatchObject({ models: models.slice(2, 4) });
    expect(await get("/v1beta/models/openai/gpt:8b")).toMatchObject({
      name: "models/openai/gpt:8b",
      displayName: "openai/gpt:8b",
      supportedGenerationMethods: ["generateContent", "countTokens"],
    });
    expect(await get("/v1beta/models?pageToken=x")).toMatchObject({ error: { code: 400, status: "INVALID_ARGUMENT" } });
    expect(await get("/v1beta/models/no-such")).toMatchObject({ error: { code: 404, status: "NOT_FOUND" } });
  });
});

describe("a model of Google's gets what only it understands", () => {
  const own = {
    safetySettings: [{ category: "HARM_CATEGORY_HARASSMENT", threshold: "BLOCK_NONE" }],
    cachedContent: "cachedContents/7",
    generationConfig: { topK: 40, thinkingConfig: { thinkingBudget: 512, includeThoughts: true }, temperature: 0.5 },
  };

  test("settings of safety, thoughts and the cache", async () => {
    await answer("gemini", own);
    expect(asked()).toMatchObject(own);
    expect(Object.keys(asked()).sort()).toEqual(["cachedContent", "contents", "generationConfig", "safetySettings"]);
  });

  test("its own tools, and how functions are to be called", async () => {
    const toolConfig = { functionCallingConfig: { mode: "ANY", allowedFunctionNames: ["get_time"] } };
    await answer("gemini", { tools: [...TOOLS, { google_search: {} }], tool_config: toolConfig });
    expect(asked()).toMatchObject({ toolConfig, tools: [{ functionDeclarations: [{}, {}] }, { googleSearch: {} }] });
  });

  test("a film by its address, as it is", async () => {
    const film = {
      fileData: { fileUri: "https://www.youtube.com/watch?v=1", mimeType: "video/mp4" },
      videoMetadata: { fps: 1 },
    };
    await answer("gemini", { contents: [{ parts: [film, { text: "picture" }] }] });
    expect(asked().contents).toEqual([{ role: "user", parts: [film, { text: "picture" }] }]);
  });

  test("both spellings of every name", async () => {
    const inline_data = { mime_type: "image/png", data: PIXEL_DATA };
    await answer("gemini", {
      system_instruction: { parts: { text: "Be brief." } },
      contents: [{ role: "user", parts: [{ inline_data }, { text: "picture" }] }],
      generation_config: { max_output_tokens: 9, stop_sequences: ["END"], thinking_config: { thinking_budget: 0 } },
      safety_settings: own.safetySettings,
    });
    expect(asked()).toEqual({
      systemInstruction: { parts: [{ text: "Be brief." }] },
      contents: [
        { role: "user", parts: [{ inlineData: { mimeType: "image/png", data: PIXEL_DATA } }, { text: "picture" }] },
      ],
      generationConfig: { maxOutputTokens: 9, stopSequences: ["END"], thinkingConfig: { thinkingBudget: 0 } },
      safetySettings: own.safetySettings,
    });
  });
});

describe("a model of another provider", () => {
  const refusalOf = async (model: string, fields: object) =>
    ((await (await post(model, fields)).json()) as { error: { code: number; status: string; message: string } }).error;

  test("answers without settings of safety, and thinks as far as it can be told to", async () => {
    await answer("gpt", {
      safetySettings: [{ category: "HARM_CATEGORY_HARASSMENT", threshold: "BLOCK_NONE" }],
      generationConfig: { topK: 64, thinkingConfig: { includeThoughts: true } },
    });
    expect(Object.keys(asked()).sort()).toEqual(["messages", "model"]);
    await answer("claude", { generationConfig: { topK: 64, maxOutputTokens: 9000 } });
    expect(asked()).toMatchObject({ top_k: 64 });
    await answer("claude", { generationConfig: { thinkingConfig: { thinkingLevel: "LOW" }, maxOutputTokens: 9000 } });
    expect(asked()).toMatchObject({ thinking: { type: "enabled" } });
  });

  test.each([
    ["cachedContent", { cachedContent: "cachedContents/7" }],
    ["googleSearch", { tools: [{ googleSearch: {} }] }],
    ["codeExecution", { tools: [{ code_execution: {} }] }],
    ["speechConfig", { generationConfig: { speechConfig: {} } }],
    ["responseMimeType", { generationConfig: { responseMimeType: "text/x.enum" } }],
    ["fileData", { contents: [{ parts: [{ fileData: { fileUri: "gs://b/a.pdf", mimeType: "application/pdf" } }] }] }],
    ["videoMetadata", { contents: [{ parts: [{ text: "a", videoMetadata: {} }] }] }],
  ])("refuses %s by its name, and drops it where it is told to", async (name, fields) => {
    const refusal = await refusalOf("gpt", fields);
    expect(refusal).toMatchObject({ status: "INVALID_ARGUMENT", code: 400, message: expect.stringContaining(name) });
    const response = await post("gpt", { ...fields, drop_params: true });
    expect(response.status).toBe(200);
    expect(JSON.stringify(asked())).not.toContain(name);
  });

  test("is offered only the functions that may be called", async () => {
    const functionCallingConfig = { mode: "ANY", allowedFunctionNames: ["get_time"] };
    await answer("gpt", { tools: TOOLS, toolConfig: { functionCallingConfig } });
    expect(asked()).toMatchObject({ tool_choice: "required", tools: [{ function: { name: "get_time" } }] });
    expect(asked().tools).toHaveLength(1);
  });

  test("shows the thoughts to who asked for them, and to nobody else", async () => {
    const thinkingConfig = { thinkingBudget: 1024, includeThoughts: true };
    const generationConfig = { thinkingConfig, maxOutputTokens: 9000 };
    const shown = await answer("claude", { ...say("think"), generationConfig });
    expect(shown.candidates[0]?.content.parts).toMatchObject([
      { text: "Let me think.", thought: true },
      { text: "Done thinking." },
    ]);
    const pieces = await streamed("claude", { ...say("think"), generationConfig });
    expect(
      partsIn(pieces)
        .filter(({ thought }) => thought === true)
        .map(({ text }) => text)
        .join(""),
    ).toBe("Let me think.");
    expect(textIn(pieces)).toBe("Done thinking.");
    const hidden = { thinkingConfig: { thinkingBudget: 1024 }, maxOutputTokens: 9000 };
    const plain = await answer("claude", { ...say("think"), generationConfig: hidden });
    expect(plain.candidates[0]?.content.parts.map(({ text }) => text)).toEqual(["Done thinking."]);
  });
});

describe("as every call does, it", () => {
  test("has its tokens of thoughts and of the cache counted apart", async () => {
    const { usageMetadata } = await answer("gpt", say("think"));
    expect(usageMetadata).toMatchObject({ promptTokenCount: 10, candidatesTokenCount: 4, thoughtsTokenCount: 4 });
    expect((await answer("gpt", say("cached"))).usageMetadata).toMatchObject({ cachedContentTokenCount: 50 });
  });

  test("is given again from the cache, in the form that it is asked in", async () => {
    const fields = { ...say("once more"), cache: { "use-cache": true } };
    const first = await answer("gpt", fields);
    const again = await post("gpt", fields);
    expect(again.headers.get("x-gw-cache-key")).not.toBeNull();
    expect(((await again.json()) as Generated).candidates).toEqual(first.candidates);
    expect(await books.last()).toMatchObject({ cost: 0n });
    const other = await post("gpt", { ...fields, safetySettings: [{ category: "a", threshold: "b" }] });
    expect([again, other].map(({ headers }) => headers.get("x-gw-response-cost"))).toEqual(["0", "0.000023"]);
  });

  test("gives several candidates, also in a stream", async () => {
    const fields = { generationConfig: { candidateCount: 2 } };
    const plain = await answer("echo", fields);
    expect(plain.candidates.map(({ index }) => index)).toEqual([0, 1]);
    const pieces = await streamed("echo", fields);
    const ends = pieces.at(-1)?.candidates ?? [];
    expect(ends.map(({ index, finishReason }) => [index, finishReason])).toEqual([
      [0, "STOP"],
      [1, "STOP"],
    ]);
    for (const at of [0, 1]) {
      const told = pieces.map((piece) => ({
        ...piece,
        candidates: piece.candidates.filter(({ index }) => index === at),
      }));
      expect(textIn(told)).toBe(
        textIn([{ ...plain, candidates: [plain.candidates[at] as Generated["candidates"][0]] }]),
      );
    }
  });

  test("holds an answer to a schema", async () => {
    const schema = { type: "OBJECT", properties: { city: { type: "STRING", nullable: true } }, required: ["city"] };
    const generationConfig = { responseMimeType: "application/json", responseSchema: schema };
    await answer("gpt", { ...say("as json"), generationConfig });
    expect(asked().response_format).toMatchObject({
      type: "json_schema",
      json_schema: {
        schema: { type: "object", properties: { city: { type: ["string", "null"] } }, required: ["city"] },
      },
    });
    await answer("gemini", { ...say("as json"), generationConfig });
    expect(asked().generationConfig).toMatchObject({ responseMimeType: "application/json" });
  });
});
