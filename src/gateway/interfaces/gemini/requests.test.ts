import { describe, expect, test } from "bun:test";
import type { Fields } from "../../call/gateway.ts";
import { sealThoughts } from "./thought-signature.ts";
import { toChat } from "./to-chat.ts";

const HELLO = { contents: [{ role: "user", parts: [{ text: "hello" }] }] };
const chatOf = (fields: object): Fields & { messages: unknown[] } => toChat("m", { ...HELLO, ...fields }, false);
const messagesOf = (...contents: object[]) => chatOf({ contents }).messages;

describe("a conversation of Google's form as a chat", () => {
  test.each<[string, unknown, unknown]>([
    ["a text alone", "hi", [{ role: "user", content: "hi" }]],
    ["one turn in place of a list, without a role", { parts: { text: "hi" } }, [{ role: "user", content: "hi" }]],
    [
      "several parts",
      [{ parts: [{ text: "a" }, { text: "b" }] }],
      [
        {
          role: "user",
          content: [
            { type: "text", text: "a" },
            { type: "text", text: "b" },
          ],
        },
      ],
    ],
    [
      "texts of the model, as they were streamed",
      [{ role: "model", parts: [{ text: "a" }, { text: "b" }] }],
      [{ role: "assistant", content: "ab" }],
    ],
    [
      "a turn of the model without anything",
      [{ parts: [{ text: "a" }] }, { role: "model", parts: [] }],
      [{ role: "user", content: "a" }],
    ],
    [
      "thoughts that nobody has sealed",
      [{ role: "model", parts: [{ text: "Hm.", thought: true }, { text: "a" }] }],
      [{ role: "assistant", content: "a", reasoning_content: "Hm." }],
    ],
  ])("%s", (_, contents, messages) => {
    expect(toChat("m", { contents }, false).messages).toEqual(messages as never);
  });

  test.each<[string, object, object]>([
    [
      "a picture",
      { inlineData: { mimeType: "image/png", data: "a-b_" } },
      { type: "image_url", image_url: { url: "data:image/png;base64,a+b/" } },
    ],
    [
      "a sound",
      { inlineData: { mimeType: "audio/mpeg", data: "AA" } },
      { type: "input_audio", input_audio: { data: "AA", format: "mp3" } },
    ],
    [
      "a film",
      { inlineData: { mimeType: "video/mp4", data: "AA" } },
      { type: "video_url", video_url: { url: "data:video/mp4;base64,AA" } },
    ],
    [
      "a document",
      { inline_data: { mime_type: "application/pdf", data: "AA" } },
      { type: "file", file: { filename: "document.pdf", file_data: "data:application/pdf;base64,AA" } },
    ],
    [
      "a picture on the web",
      { fileData: { fileUri: "https://a.test/b.png", mimeType: "image/png" } },
      { type: "image_url", image_url: { url: "https://a.test/b.png" } },
    ],
    [
      "a file that lies at Google",
      { fileData: { fileUri: "https://generativelanguage.googleapis.com/v1beta/files/7", mimeType: "image/png" } },
      {
        type: "google_part",
        google_part: {
          fileData: { fileUri: "https://generativelanguage.googleapis.com/v1beta/files/7", mimeType: "image/png" },
        },
      },
    ],
    [
      "what nobody knows yet",
      { text: "a", somethingNew: 1 },
      { type: "google_part", google_part: { text: "a", somethingNew: 1 } },
    ],
  ])("%s is a part", (_, part, made) => {
    expect(messagesOf({ parts: [part] })).toEqual([{ role: "user", content: [made] }] as never);
  });

  test("calls and results find each other by their ids, or by name and order", () => {
    const call = (id: string | undefined, name: string) => ({ functionCall: { id, name, args: { a: 1 } } });
    const result = (id: string | undefined, name: string) => ({ functionResponse: { id, name, response: { b: id } } });
    const made = messagesOf(
      { role: "model", parts: [call("x", "f"), call(undefined, "f"), call(undefined, "g")] },
      { role: "user", parts: [result(undefined, "g"), result("x", "f"), result(undefined, "f"), { text: "So?" }] },
    ) as unknown as { role: string; tool_calls?: { id: string }[]; tool_call_id?: string; name?: string }[];
    const [x, f, g] = made[0]?.tool_calls?.map(({ id }) => id) ?? [];
    expect(made.map(({ role }) => role)).toEqual(["assistant", "tool", "tool", "tool", "user"]);
    expect(made.slice(1, 4).map(({ tool_call_id: id }) => id)).toEqual([g, x, f] as string[]);
    expect(x).toBe("x");
    expect(made.every(({ name }) => name === undefined)).toBeTrue();
    const [lone] = messagesOf({ parts: [result(undefined, "h")] }) as unknown as Fields[];
    expect(lone).toMatchObject({ role: "tool", name: "h", content: "{}" });
  });

  test("seals go back to who made them", () => {
    const block = { type: "thinking", thinking: "Hm.", signature: "c2lnbmVk" };
    const item = { id: "rs_1", encrypted_content: "x", by: "y" };
    const ours = sealThoughts({ blocks: [block], items: [item] }) ?? "";
    const [message] = messagesOf({
      role: "model",
      parts: [
        { text: "Hm.", thought: true },
        { text: "a", thoughtSignature: "R29vZ2xl" },
        { functionCall: { id: "x", name: "f" }, thoughtSignature: ours },
      ],
    });
    expect(message).toEqual({
      role: "assistant",
      content: "a",
      thinking_blocks: [block],
      tool_calls: [{ id: "x", type: "function", function: { name: "f", arguments: "{}" } }],
      provider_specific_fields: { reasoning_items: [item], thought_signatures: ["R29vZ2xl"] },
    } as never);
    // One that only looks like ours seals nothing, and goes nowhere.
    const forged = `${Buffer.from("turnpike:").toString("base64")}e30x`;
    expect(messagesOf({ role: "model", parts: [{ text: "a", thoughtSignature: forged }] })).toEqual([
      { role: "assistant", content: "a" },
    ] as never);
  });
});

describe("functions", () => {
  const declared = (declaration: object) =>
    (chatOf({ tools: [{ functionDeclarations: [{ name: "f", ...declaration }] }] }).tools as { function: Fields }[])[0]
      ?.function;

  test.each<[string, object, object]>([
    ["without parameters", {}, { parameters: { type: "object", properties: {} } }],
    [
      "in JSON Schema",
      { parametersJsonSchema: { type: "object", minProperties: 1 } },
      { parameters: { type: "object", minProperties: 1 } },
    ],
    [
      "in Google's form",
      {
        description: "Does it.",
        parameters: {
          type: "OBJECT",
          properties: {
            b: { type: "STRING", format: "enum", enum: ["x"], nullable: true },
            a: { type: "ARRAY", items: { type: "INTEGER", format: "int32" }, min_items: "1" },
          },
          propertyOrdering: ["a", "b"],
          required: ["a"],
        },
      },
      {
        description: "Does it.",
        parameters: {
          type: "object",
          properties: {
            a: { type: "array", items: { type: "integer", format: "int32" }, minItems: 1 },
            b: { type: ["string", "null"], enum: ["x", null] },
          },
          required: ["a"],
        },
      },
    ],
    [
      "with choices",
      { parameters: { any_of: [{ type: "STRING" }, { type: "NUMBER" }], nullable: true } },
      { parameters: { anyOf: [{ type: "string" }, { type: "number" }, { type: "null" }] } },
    ],
    [
      "that tell what they return",
      { description: "Does it.", response: { type: "STRING" } },
      { description: 'Does it.\nIt returns: {"type":"string"}', parameters: { type: "object", properties: {} } },
    ],
  ])("%s", (_, declaration, made) => {
    expect(declared(declaration)).toEqual({ name: "f", ...made });
  });

  test("keep the order of properties that is asked for", () => {
    const properties = { b: { type: "STRING" }, a: { type: "STRING" } };
    const { parameters } = declared({ parameters: { type: "OBJECT", properties, propertyOrdering: ["a", "b"] } }) as {
      parameters: { properties: object };
    };
    expect(Object.keys(parameters.properties)).toEqual(["a", "b"]);
  });

  test.each<[object, unknown]>([
    [{ mode: "AUTO" }, "auto"],
    [{ mode: "ANY" }, "required"],
    [{ mode: "NONE" }, "none"],
    [{}, undefined],
  ])("are called as %p says", (functionCallingConfig, choice) => {
    const tools = [{ functionDeclarations: [{ name: "f" }] }];
    expect(chatOf({ tools, toolConfig: { functionCallingConfig } }).tool_choice).toBe(choice as never);
    // Where none is offered, there is nothing to choose.
    expect(chatOf({ toolConfig: { functionCallingConfig } })).not.toContainKey("tool_choice");
  });
});

describe("how an answer is generated", () => {
  test("has the names of a chat where there are any, and goes along where there are none", () => {
    const generationConfig = {
      temperature: 0.5,
      topP: 0.9,
      topK: 40,
      maxOutputTokens: "100",
      stopSequences: ["END"],
      candidateCount: 2,
      seed: 7,
      presencePenalty: 0.1,
      frequencyPenalty: 0.2,
      responseLogprobs: true,
      logprobs: 3,
      responseModalities: ["TEXT", "IMAGE"],
      thinking_config: { thinking_budget: 100 },
    };
    // What marks it as Google's has no name.
    expect(Object.fromEntries(Object.entries(chatOf({ generationConfig })))).toEqual({
      model: "m",
      messages: [{ role: "user", content: "hello" }],
      temperature: 0.5,
      top_p: 0.9,
      max_tokens: 100,
      stop: ["END"],
      n: 2,
      seed: 7,
      presence_penalty: 0.1,
      frequency_penalty: 0.2,
      logprobs: true,
      top_logprobs: 3,
      modalities: ["text", "image"],
      google_form: { generationConfig: { topK: 40, thinkingConfig: { thinkingBudget: 100 } } },
    });
  });

  test.each<[object, unknown]>([
    [{ responseMimeType: "text/plain" }, undefined],
    [{ responseMimeType: "application/json" }, { type: "json_object" }],
    [
      { responseMimeType: "application/json", responseJsonSchema: { type: "object" } },
      { type: "json_schema", json_schema: { name: "answer", schema: { type: "object" }, strict: true } },
    ],
    [
      { response_schema: { type: "ARRAY", items: { type: "STRING" } } },
      {
        type: "json_schema",
        json_schema: { name: "answer", schema: { type: "array", items: { type: "string" } }, strict: true },
      },
    ],
  ])("%p", (generationConfig, format) => {
    expect(chatOf({ generationConfig }).response_format).toEqual(format as never);
  });

  test.each([
    ["temperature", { temperature: "hot" }],
    ["candidateCount", { candidateCount: 0 }],
    ["maxOutputTokens", { maxOutputTokens: 1.5 }],
    ["stopSequences", { stopSequences: [1] }],
    ["topK", { topK: "many" }],
    ["responseSchema", { responseSchema: "STRING" }],
    ["thinkingConfig", { thinkingConfig: true }],
  ])("refuses a %s that is none", (name, generationConfig) => {
    expect(() => chatOf({ generationConfig })).toThrow(name);
  });
});

test("what steers the gateway goes along, and what nobody knows is refused by its name", () => {
  expect(chatOf({ num_retries: 1, user: "u", metadata: { a: 1 } })).toMatchObject({
    num_retries: 1,
    user: "u",
    metadata: { a: 1 },
  });
  for (const name of ["somethingNew", "anthropic_form", "messages", "google_form"]) {
    expect(() => chatOf({ [name]: [] })).toThrow(name);
  }
});
