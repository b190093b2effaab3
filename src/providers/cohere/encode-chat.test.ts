import { describe, expect, test } from "bun:test";
import { HELLO, targetOf, toolNamed } from "../../../test/upstreams/chat-samples.ts";
import type { ChatRequest } from "../../contract/chat.ts";
import type { Target } from "../dialect.ts";
import { encodeCohereChat } from "./encode-chat.ts";

const target = (given: Partial<Target> = {}): Target =>
  targetOf("cohere", "command-a-03-2025", { apiKey: "key-1", ...given });

function bodyOf(request: object): Record<string, unknown> {
  const { body } = encodeCohereChat({ ...HELLO, ...request } as ChatRequest, target());
  return JSON.parse(String(body)) as Record<string, unknown>;
}

const messagesOf = (messages: readonly object[]) => bodyOf({ messages }).messages;

describe("where a request goes", () => {
  test("to the chat of version 2, with the key", () => {
    const { url, headers } = encodeCohereChat(HELLO, target());
    expect(url).toBe("https://api.cohere.com/v2/chat");
    expect(headers).toEqual({ "content-type": "application/json", authorization: "Bearer key-1" });
  });

  test.each([
    ["https://proxy.example/", "https://proxy.example/v2/chat"],
    ["https://proxy.example/v1", "https://proxy.example/v2/chat"],
    ["https://proxy.example/v2/", "https://proxy.example/v2/chat"],
    ["https://proxy.example/v2/chat", "https://proxy.example/v2/chat"],
    ["https://proxy.example/cohere", "https://proxy.example/cohere/v2/chat"],
  ])("a base of %s is %s", (apiBase, url) => {
    expect(encodeCohereChat(HELLO, target({ apiBase })).url).toBe(url);
  });

  test("key and base come from the environment when the deployment has none", () => {
    const env = (name: string) => ({ CO_API_KEY: "key-2", CO_API_URL: "http://localhost:1" })[name];
    const sent = encodeCohereChat(HELLO, target({ apiKey: null, env }));
    expect(sent.url).toBe("http://localhost:1/v2/chat");
    expect(sent.headers.authorization).toBe("Bearer key-2");
  });

  test("without a key nothing is sent", () => {
    expect(() => encodeCohereChat(HELLO, target({ apiKey: null }))).toThrow("COHERE_API_KEY");
  });
});

describe("the body", () => {
  test("of a rich request has every parameter under Cohere's name", () => {
    const schema = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };
    expect(
      bodyOf({
        stream: true,
        stream_options: { include_usage: true },
        max_completion_tokens: 300,
        max_tokens: 200,
        temperature: 0.4,
        top_p: 1,
        top_k: 40,
        seed: 7,
        stop: "END",
        frequency_penalty: 0.1,
        presence_penalty: 0.2,
        logprobs: true,
        reasoning_effort: "low",
        response_format: { type: "json_schema", json_schema: { name: "place", strict: true, schema } },
        user: "somebody",
        safety_mode: "STRICT",
        citation_options: { mode: "OFF" },
      }),
    ).toEqual({
      model: "command-a-03-2025",
      messages: [{ role: "user", content: "Hello" }],
      stream: true,
      max_tokens: 300,
      temperature: 0.4,
      p: 0.99,
      k: 40,
      seed: 7,
      stop_sequences: ["END"],
      frequency_penalty: 0.1,
      presence_penalty: 0.2,
      logprobs: true,
      thinking: { type: "enabled", token_budget: 2048 },
      response_format: { type: "json_object", json_schema: schema },
      safety_mode: "STRICT",
      citation_options: { mode: "OFF" },
    });
  });

  test("has nothing that was not asked for", () => {
    expect(bodyOf({})).toEqual({
      model: "command-a-03-2025",
      messages: [{ role: "user", content: "Hello" }],
      stream: false,
    });
  });

  test("has Cohere's own fields before what is derived", () => {
    expect(bodyOf({ top_p: 0.5, p: 0.7, stop: ["a"], stop_sequences: ["b"] })).toMatchObject({
      p: 0.7,
      stop_sequences: ["b"],
    });
  });

  test.each([
    [{ reasoning_effort: "none" }, { type: "disabled" }],
    [{ reasoning_effort: "high" }, { type: "enabled" }],
    [{ thinking: { type: "enabled", budget_tokens: 900 } }, { type: "enabled", token_budget: 900 }],
    [{ thinking: { type: "disabled" }, reasoning_effort: "high" }, { type: "disabled" }],
  ])("%o thinks as %o", (request, thinking) => {
    expect(bodyOf(request).thinking).toEqual(thinking);
  });

  test("passes documents on", () => {
    const documents = [{ id: "1", data: { text: "Emperors are tall." } }, "plain"];
    expect(bodyOf({ documents }).documents).toEqual(documents);
  });

  test("asks for JSON in words beside tools, where Cohere refuses a response format", () => {
    const body = bodyOf({ tools: [toolNamed("a")], response_format: { type: "json_object" } });
    expect(body.response_format).toBeUndefined();
    expect(body.messages).toEqual([
      { role: "system", content: "Give your final answer as one JSON object and nothing else." },
      { role: "user", content: "Hello" },
    ]);
  });
});

describe("tools", () => {
  test("are offered without fields that Cohere does not know", () => {
    expect(
      bodyOf({ tools: [toolNamed("a", { strict: true }), { type: "function", function: { name: "b" } }] }),
    ).toMatchObject({
      tools: [
        toolNamed("a"),
        { type: "function", function: { name: "b", parameters: { type: "object", properties: {} } } },
      ],
    });
  });

  test("are strict when all of them are", () => {
    expect(bodyOf({ tools: [toolNamed("a", { strict: true })] }).strict_tools).toBe(true);
    expect(bodyOf({ tools: [toolNamed("a", { strict: true }), toolNamed("b")] }).strict_tools).toBeUndefined();
  });

  test.each([
    ["auto", undefined, ["a", "b"]],
    ["none", "NONE", ["a", "b"]],
    ["required", "REQUIRED", ["a", "b"]],
    [{ type: "function", function: { name: "b" } }, "REQUIRED", ["b"]],
  ])("under the choice %o are chosen by %s", (tool_choice, sent, names) => {
    const body = bodyOf({ tools: [toolNamed("a"), toolNamed("b")], tool_choice });
    expect(body.tool_choice).toEqual(sent);
    expect((body.tools as { function: { name: string } }[]).map((one) => one.function.name)).toEqual(names);
  });

  test("of the older interface are the same", () => {
    const body = bodyOf({ functions: [{ name: "a" }, { name: "b" }], function_call: { name: "a" } });
    expect(body).toMatchObject({ tool_choice: "REQUIRED", tools: [{ function: { name: "a" } }] });
  });

  test.each([
    [{ tools: [{ type: "web_search" }] }, "tools"],
    [{ tools: [{ type: "function" }] }, "tools"],
    [{ tools: [toolNamed("a")], tool_choice: { type: "function", function: { name: "z" } } }, "tool_choice"],
    [{ tools: [toolNamed("a")], tool_choice: { type: "odd" } }, "tool_choice"],
    [{ response_format: { type: "xml" } }, "response_format"],
  ])("that cannot be sent are refused by name: %o", (request, param) => {
    expect(() => bodyOf(request)).toThrow(expect.objectContaining({ kind: "invalid_request", param }));
  });
});

describe("messages", () => {
  test("of the system become one, which is the first", () => {
    expect(
      messagesOf([
        { role: "system", content: "Be brief." },
        { role: "user", content: "Hi" },
        { role: "developer", content: [{ type: "text", text: "Be kind." }] },
      ]),
    ).toEqual([
      { role: "system", content: "Be brief.\n\nBe kind." },
      { role: "user", content: "Hi" },
    ]);
  });

  test("of the system alone are the user's", () => {
    expect(messagesOf([{ role: "system", content: "Say hi." }])).toEqual([{ role: "user", content: "Say hi." }]);
  });

  test("may hold pictures by address or by data", () => {
    const data = "data:image/png;base64,AAAA";
    expect(
      messagesOf([
        {
          role: "user",
          content: [
            { type: "text", text: "What is it?", cache_control: { type: "ephemeral" } },
            { type: "image_url", image_url: { url: "https://example.com/a.png", detail: "low" } },
            { type: "image_url", image_url: data },
          ],
        },
      ]),
    ).toEqual([
      {
        role: "user",
        content: [
          { type: "text", text: "What is it?" },
          { type: "image_url", image_url: { url: "https://example.com/a.png", detail: "low" } },
          { type: "image_url", image_url: { url: data } },
        ],
      },
    ]);
  });

  test("with calls bring their plan, and results find their calls", () => {
    const call = (id: string, args: string) => ({ id, type: "function", function: { name: "get", arguments: args } });
    expect(
      messagesOf([
        { role: "user", content: "Both?" },
        {
          role: "assistant",
          content: "Looking.",
          reasoning_content: "Two calls.",
          tool_calls: [call("1", '{"a":1}'), call("2", "")],
        },
        { role: "tool", tool_call_id: "1", content: "one" },
        { role: "tool", tool_call_id: "2", content: [{ type: "text", text: "two" }] },
      ]),
    ).toEqual([
      { role: "user", content: "Both?" },
      { role: "assistant", tool_plan: "Two calls.\n\nLooking.", tool_calls: [call("1", '{"a":1}'), call("2", "{}")] },
      { role: "tool", tool_call_id: "1", content: "one" },
      { role: "tool", tool_call_id: "2", content: "two" },
    ]);
  });

  test("of the older interface get an id that joins call and result", () => {
    expect(
      messagesOf([
        { role: "assistant", content: null, function_call: { name: "get", arguments: "{}" } },
        { role: "function", name: "get", content: "42" },
      ]),
    ).toEqual([
      {
        role: "assistant",
        tool_calls: [{ id: "call_0", type: "function", function: { name: "get", arguments: "{}" } }],
      },
      { role: "tool", tool_call_id: "call_0", content: "42" },
    ]);
  });

  test("of an assistant that said nothing are left out, and reasoning of a finished turn as well", () => {
    expect(
      messagesOf([
        { role: "assistant", content: "" },
        { role: "assistant", content: "Yes.", reasoning_content: "Hm." },
        { role: "user", content: "" },
      ]),
    ).toEqual([
      { role: "assistant", content: "Yes." },
      { role: "user", content: "" },
    ]);
  });

  test("of an assistant leave out thoughts that another provider's answer had among its parts", () => {
    const thoughts = [
      { type: "thinking", thinking: "Hm.", signature: "c2ln" },
      { type: "redacted_thinking", data: "cmVk" },
    ];
    expect(messagesOf([{ role: "assistant", content: [...thoughts, { type: "text", text: "Hi" }] }])).toEqual([
      { role: "assistant", content: "Hi" },
    ]);
  });

  test("may give documents as a tool's result", () => {
    const document = { type: "document", document: { id: "1", data: { text: "x" } } };
    expect(messagesOf([{ role: "tool", tool_call_id: "1", content: [document] }])).toEqual([
      { role: "tool", tool_call_id: "1", content: [document] },
    ]);
  });

  test.each([
    [{ role: "user", content: [{ type: "input_audio", input_audio: { data: "AA", format: "wav" } }] }],
    [{ role: "user", content: [{ type: "file", file: { file_id: "f" } }] }],
    [{ role: "user", content: [{ type: "image_url" }] }],
    [{ role: "user", content: [{ type: "text", text: 5 }] }],
    [{ role: "system", content: [{ type: "image_url", image_url: "https://example.com/a.png" }] }],
    [{ role: "assistant", tool_calls: [{ id: "1" }] }],
    [{ role: "assistant", tool_calls: [{ id: "1", function: { name: "a", arguments: {} } }] }],
    [{ role: "tool", content: "lost" }],
    [{ role: "tool", tool_call_id: "1", content: [{ type: "image_url", image_url: "https://example.com/a.png" }] }],
  ])("that Cohere cannot take are refused: %o", (message) => {
    expect(() => messagesOf([message])).toThrow(
      expect.objectContaining({ kind: "invalid_request", param: "messages" }),
    );
  });
});
