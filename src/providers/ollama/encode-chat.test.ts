import { describe, expect, test } from "bun:test";
import { HELLO, targetOf, toolNamed } from "../../../test/upstreams/chat-samples.ts";
import type { ChatRequest } from "../../contract/chat.ts";
import type { Target } from "../dialect.ts";
import { encodeOllamaChat } from "./encode-chat.ts";

const target = (given: Partial<Target> = {}): Target => targetOf("ollama", "qwen3:8b", { ...given });

function bodyOf(request: object): Record<string, unknown> {
  const { body } = encodeOllamaChat({ ...HELLO, ...request } as ChatRequest, target());
  return JSON.parse(String(body)) as Record<string, unknown>;
}

const messagesOf = (messages: readonly object[]) => bodyOf({ messages }).messages;

describe("where a request goes", () => {
  test("to the machine itself, without a key, when nothing is set", () => {
    const { url, headers } = encodeOllamaChat(HELLO, target());
    expect(url).toBe("http://localhost:11434/api/chat");
    expect(headers).toEqual({ "content-type": "application/json" });
  });

  test.each([
    ["http://gpu:11434/", "http://gpu:11434/api/chat"],
    ["http://gpu:11434/api", "http://gpu:11434/api/chat"],
    ["http://gpu:11434/v1/", "http://gpu:11434/api/chat"],
    ["http://gpu:11434/api/generate", "http://gpu:11434/api/chat"],
    ["https://proxy.example/ollama", "https://proxy.example/ollama/api/chat"],
  ])("a base of %s is %s", (apiBase, url) => {
    expect(encodeOllamaChat(HELLO, target({ apiBase })).url).toBe(url);
  });

  test("base and key come from the environment when the deployment has none", () => {
    const env = (name: string) => ({ OLLAMA_API_BASE: "https://ollama.com", OLLAMA_API_KEY: "key-2" })[name];
    const sent = encodeOllamaChat(HELLO, target({ env }));
    expect(sent.url).toBe("https://ollama.com/api/chat");
    expect(sent.headers.authorization).toBe("Bearer key-2");
    expect(encodeOllamaChat(HELLO, target({ env, apiKey: "key-1" })).headers.authorization).toBe("Bearer key-1");
  });
});

describe("the body", () => {
  test("of a rich request has every parameter where Ollama has it", () => {
    const schema = { type: "object", properties: { city: { type: "string" } } };
    expect(
      bodyOf({
        stream: true,
        stream_options: { include_usage: true },
        max_tokens: 200,
        temperature: 0.4,
        top_p: 0.9,
        seed: 7,
        stop: ["END", "STOP"],
        frequency_penalty: 0.1,
        presence_penalty: 0.2,
        logprobs: true,
        top_logprobs: 3,
        reasoning_effort: "minimal",
        response_format: { type: "json_schema", json_schema: { name: "place", schema } },
        user: "somebody",
        top_k: 40,
        num_ctx: 8192,
        repeat_penalty: 1.1,
        keep_alive: "10m",
        truncate: false,
      }),
    ).toEqual({
      model: "qwen3:8b",
      messages: [{ role: "user", content: "Hello" }],
      stream: true,
      format: schema,
      think: "low",
      logprobs: true,
      top_logprobs: 3,
      options: {
        num_predict: 200,
        temperature: 0.4,
        top_p: 0.9,
        seed: 7,
        stop: ["END", "STOP"],
        frequency_penalty: 0.1,
        presence_penalty: 0.2,
        top_k: 40,
        num_ctx: 8192,
        repeat_penalty: 1.1,
      },
      keep_alive: "10m",
      truncate: false,
    });
  });

  test("has nothing that was not asked for, and says that it is not streamed", () => {
    expect(bodyOf({})).toEqual({ model: "qwen3:8b", messages: [{ role: "user", content: "Hello" }], stream: false });
  });

  test("has Ollama's own settings before what is derived", () => {
    const own = { temperature: 1, max_tokens: 5, num_predict: 6, options: { temperature: 0, num_predict: 7 } };
    expect(bodyOf(own).options).toEqual({ temperature: 0, num_predict: 7 });
    expect(bodyOf({ reasoning_effort: "high", think: false }).think).toBe(false);
    expect(bodyOf({ response_format: { type: "json_object" }, format: { type: "array" } }).format).toEqual({
      type: "array",
    });
  });

  test.each([
    ["none", false],
    ["low", "low"],
    ["medium", "medium"],
    ["high", "high"],
    ["xhigh", "high"],
  ])("thinks at the effort %s as %s", (reasoning_effort, think) => {
    expect(bodyOf({ reasoning_effort }).think).toBe(think);
  });

  test("asks for any JSON by one word", () => {
    expect(bodyOf({ response_format: { type: "json_object" } }).format).toBe("json");
    expect(bodyOf({ response_format: { type: "text" } }).format).toBeUndefined();
  });
});

describe("tools", () => {
  test("are offered without fields that Ollama does not know", () => {
    const tools = [toolNamed("a", { strict: true }), { type: "function", function: { name: "b" } }];
    expect(bodyOf({ tools }).tools).toEqual([
      toolNamed("a"),
      { type: "function", function: { name: "b", parameters: { type: "object", properties: {} } } },
    ]);
  });

  test("are held back when none may be called", () => {
    expect(bodyOf({ tools: [toolNamed("a")], tool_choice: "none" }).tools).toBeUndefined();
  });

  test("that must be called are asked for in words", () => {
    expect(bodyOf({ tools: [toolNamed("a")], tool_choice: "required" }).messages).toEqual([
      { role: "user", content: "Hello" },
      { role: "system", content: "Answer by calling one of the tools. Do not answer in text." },
    ]);
  });

  test("that are chosen by name are the only ones offered", () => {
    const choice = { type: "function", function: { name: "b" } };
    const body = bodyOf({ tools: [toolNamed("a"), toolNamed("b")], tool_choice: choice });
    expect(body.tools).toEqual([toolNamed("b")]);
    expect(body.messages).toContainEqual({
      role: "system",
      content: "Answer by calling the tool b. Do not answer in text.",
    });
  });
});

describe("messages", () => {
  test("of the system stay where they are", () => {
    expect(
      messagesOf([
        { role: "system", content: "Be brief." },
        { role: "user", content: null },
        { role: "developer", content: [{ type: "text", text: "Be kind." }] },
      ]),
    ).toEqual([
      { role: "system", content: "Be brief." },
      { role: "user", content: "" },
      { role: "system", content: "Be kind." },
    ]);
  });

  test("bring pictures and sounds as bare base64", () => {
    expect(
      messagesOf([
        {
          role: "user",
          content: [
            { type: "text", text: "What is" },
            { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } },
            { type: "text", text: "this?" },
            { type: "image_url", image_url: "BBBB" },
            { type: "input_audio", input_audio: { data: "CCCC", format: "wav" } },
          ],
        },
      ]),
    ).toEqual([{ role: "user", content: "What is\nthis?", images: ["AAAA", "BBBB", "CCCC"] }]);
  });

  test("with calls have arguments as objects, and results the name of their tool", () => {
    const call = (id: string, name: string, args: string) => ({
      id,
      type: "function",
      function: { name, arguments: args },
    });
    expect(
      messagesOf([
        {
          role: "assistant",
          content: null,
          reasoning_content: "Two.",
          tool_calls: [call("1", "get", '{"a":1}'), call("2", "now", "")],
        },
        { role: "tool", tool_call_id: "2", content: "noon" },
        { role: "tool", tool_call_id: "1", content: [{ type: "text", text: "one" }] },
      ]),
    ).toEqual([
      {
        role: "assistant",
        content: "",
        thinking: "Two.",
        tool_calls: [
          { id: "1", function: { name: "get", arguments: { a: 1 } } },
          { id: "2", function: { name: "now", arguments: {} } },
        ],
      },
      { role: "tool", content: "noon", tool_name: "now", tool_call_id: "2" },
      { role: "tool", content: "one", tool_name: "get", tool_call_id: "1" },
    ]);
  });

  test("with calls keep arguments that are no object", () => {
    const call = (id: string, args: string) => ({ id, type: "function", function: { name: "get", arguments: args } });
    expect(messagesOf([{ role: "assistant", tool_calls: [call("1", "{half"), call("2", "[1]")] }])).toMatchObject([
      {
        tool_calls: [{ function: { arguments: { value: "{half" } } }, { function: { arguments: { value: [1] } } }],
      },
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

  test("of the older interface are calls and results too", () => {
    expect(
      messagesOf([
        { role: "assistant", function_call: { name: "get", arguments: "{}" } },
        { role: "function", name: "get", content: "42" },
      ]),
    ).toEqual([
      { role: "assistant", content: "", tool_calls: [{ function: { name: "get", arguments: {} } }] },
      { role: "tool", content: "42", tool_name: "get" },
    ]);
  });

  test.each([
    [{ role: "user", content: [{ type: "file", file: { file_id: "f" } }] }],
    [{ role: "user", content: [{ type: "image_url", image_url: "https://example.com/a.png" }] }],
    [{ role: "user", content: [{ type: "image_url", image_url: "data:image/svg+xml,%3Csvg" }] }],
    [{ role: "system", content: [{ type: "image_url", image_url: "data:image/png;base64,AAAA" }] }],
  ])("that Ollama cannot take are refused: %o", (message) => {
    expect(() => messagesOf([message])).toThrow(
      expect.objectContaining({ kind: "invalid_request", param: "messages" }),
    );
  });
});
