import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { runs } from "../../../../test/property-runs.ts";
import { GatewayError } from "../../../contract/errors.ts";
import { droppedOf } from "../../attempts/translation.ts";
import { CACHE, chat, fieldsFor, HI, sentToAnthropic } from "./test-request.ts";

const messagesOf = (messages: object[], more: object = {}) => chat({ ...HI, ...more, messages }).messages;

type Many = (block: object) => object[];
const documentOf = (content: object[]) => ({ type: "document", source: { type: "content", content } });

describe("to all others it goes as a chat", () => {
  test("with instructions first", () => {
    expect(messagesOf([{ role: "user", content: "Hi" }], { system: "Be kind." })).toEqual([
      { role: "system", content: "Be kind." },
      { role: "user", content: "Hi" },
    ]);
    const system = [
      { type: "text", text: "A", cache_control: CACHE },
      { type: "text", text: "B" },
    ];
    expect(messagesOf([{ role: "user", content: "Hi" }], { system })).toMatchObject([
      { role: "system", content: system },
      {},
    ]);
  });

  test("with pictures and documents as its parts", () => {
    const content = [
      { type: "image", source: { type: "base64", media_type: "image/png", data: "AAAA" } },
      { type: "image", source: { type: "url", url: "https://a.test/p.png" }, cache_control: CACHE },
      { type: "document", source: { type: "base64", media_type: "application/pdf", data: "JVBE" }, title: "a.pdf" },
      { type: "document", source: { type: "text", media_type: "text/plain", data: "Some text" }, title: "Notes" },
      { type: "document", source: { type: "content", content: [{ type: "text", text: "chunk" }] } },
      { type: "search_result", source: "https://a.test", title: "A", content: [{ type: "text", text: "found" }] },
    ];
    expect(messagesOf([{ role: "user", content }])).toEqual([
      {
        role: "user",
        content: [
          { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } },
          { type: "image_url", image_url: { url: "https://a.test/p.png" }, cache_control: CACHE },
          { type: "file", file: { filename: "a.pdf", file_data: "data:application/pdf;base64,JVBE" } },
          { type: "text", text: "Notes\n\nSome text" },
          { type: "text", text: "chunk" },
          { type: "text", text: "A\n\nhttps://a.test\n\nfound" },
        ],
      },
    ]);
  });

  test.each([
    [{ type: "image", source: { type: "file", file_id: "f" } }],
    [{ type: "document", source: { type: "url", url: "https://a.test/a.pdf" } }],
    [{ type: "container_upload", file_id: "f" }],
    [{ type: "tool_use", id: "a", name: "b", input: {} }],
    [{ type: "image" }],
  ])("what they cannot be shown is refused: %j", (block) => {
    expect(() => messagesOf([{ role: "user", content: [block] }])).toThrow("Only Anthropic's own models take");
  });

  test.each([
    ["results", 800_000, (many: Many) => ({ role: "user", content: many({ type: "tool_result" }) })],
    ["parts", 1, (many: Many) => ({ role: "user", content: [documentOf(many({ type: "text", text: "a" }))] })],
  ])("with more %s than a call can have arguments", (_, count, turn) => {
    const given = turn((block) => Array<object>(800_000).fill(block));
    expect(messagesOf([given]) as { length: number }).toHaveProperty("length", count);
  });

  test("with the results of tools behind their calls, and what they show behind them", () => {
    const messages = [
      { role: "user", content: "Look" },
      {
        role: "assistant",
        content: [
          { type: "thinking", thinking: "Both.", signature: "s" },
          { type: "text", text: "Two " },
          { type: "text", text: "looks." },
          { type: "tool_use", id: "a", name: "look", input: { at: 1 } },
          { type: "tool_use", id: "b", name: "look", input: {} },
        ],
      },
      {
        role: "user",
        content: [
          { type: "text", text: "And now?" },
          { type: "tool_result", tool_use_id: "b", content: "not there", is_error: true },
          {
            type: "tool_result",
            tool_use_id: "a",
            content: [
              { type: "text", text: "seen" },
              { type: "image", source: { type: "base64", media_type: "image/png", data: "AAAA" } },
            ],
          },
          { type: "tool_result", tool_use_id: "c" },
        ],
      },
    ];
    expect(messagesOf(messages)).toEqual([
      { role: "user", content: "Look" },
      {
        role: "assistant",
        content: "Two looks.",
        thinking_blocks: [{ type: "thinking", thinking: "Both.", signature: "s" }],
        tool_calls: [
          { id: "a", type: "function", function: { name: "look", arguments: '{"at":1}' } },
          { id: "b", type: "function", function: { name: "look", arguments: "{}" } },
        ],
      },
      { role: "tool", tool_call_id: "b", content: "Error: not there" },
      { role: "tool", tool_call_id: "a", content: "seen" },
      { role: "tool", tool_call_id: "c", content: "" },
      {
        role: "user",
        content: [
          { type: "text", text: "Shown by the result of a:" },
          { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } },
          { type: "text", text: "And now?" },
        ],
      },
    ]);
  });

  test("with thoughts between words in their order, and without what Anthropic's own tools did", () => {
    const content = [
      { type: "thinking", thinking: "One.", signature: "1" },
      { type: "text", text: "A" },
      { type: "server_tool_use", id: "s", name: "web_search", input: {} },
      { type: "web_search_tool_result", tool_use_id: "s", content: [] },
      { type: "redacted_thinking", data: "x" },
      { type: "tool_use", id: "t", name: "look", input: {} },
      { type: "text", text: "B" },
    ];
    expect(messagesOf([{ role: "assistant", content }])).toEqual([
      {
        role: "assistant",
        content: "A",
        thinking_blocks: [{ type: "thinking", thinking: "One.", signature: "1" }],
      },
      {
        role: "assistant",
        content: "B",
        thinking_blocks: [{ type: "redacted_thinking", data: "x" }],
        tool_calls: [{ id: "t", type: "function", function: { name: "look", arguments: "{}" } }],
      },
    ]);
    expect(messagesOf([{ role: "assistant", content: [{ type: "thinking", thinking: "x", signature: "" }] }])).toEqual(
      [],
    );
  });

  test("with tools as functions", () => {
    const open = { type: "object", properties: { a: {} } };
    const closed = { ...open, required: ["a"], additionalProperties: false };
    const tools = [
      { name: "look", description: "Looks.", input_schema: open, strict: true, cache_control: CACHE },
      { type: "custom", name: "see", input_schema: closed, strict: true, defer_loading: true },
    ];
    expect(chat({ ...HI, tools, tool_choice: { type: "any", disable_parallel_tool_use: true } })).toMatchObject({
      tools: [
        { type: "function", function: { name: "look", description: "Looks.", parameters: open }, cache_control: CACHE },
        { type: "function", function: { name: "see", parameters: closed, strict: true } },
      ],
      tool_choice: "required",
      parallel_tool_calls: false,
    });
    expect(chat({ ...HI, tools }).tool_choice).toBeUndefined();
    const named = chat({ ...HI, tools, tool_choice: { type: "tool", name: "see" } });
    expect(named.tool_choice).toEqual({ type: "function", function: { name: "see" } });
    expect(chat({ ...HI, tools, tool_choice: { type: "none" } }).tool_choice).toBe("none");
  });

  test("Anthropic's own tools are refused, or left out where that is asked for", () => {
    const tools = [{ type: "web_search_20250305", name: "web_search" }];
    expect(() => chat({ ...HI, tools })).toThrow("OpenAI does not have the tool web_search_20250305");
    expect(chat({ ...HI, tools, drop_params: true }).tools).toBeUndefined();
  });

  test("with its settings under the names of a chat, and without Anthropic's", () => {
    const body = {
      ...HI,
      stop_sequences: ["END"],
      temperature: 0.5,
      top_p: 0.9,
      top_k: 5,
      metadata: { user_id: "user_1", tags: ["a"] },
      service_tier: "standard_only",
      stream: true,
      cache_control: CACHE,
      context_management: { edits: [] },
      mcp_servers: [],
    };
    const { fields } = fieldsFor("openai/gpt-4o", body, "some-beta");
    expect(droppedOf(fields)).toEqual(["top_k"]);
    expect(JSON.parse(JSON.stringify(fields))).toEqual({
      model: "group",
      messages: [{ role: "user", content: "Hi" }],
      max_tokens: 100,
      stop: ["END"],
      temperature: 0.5,
      top_p: 0.9,
      user: "user_1",
      service_tier: "default",
      stream: true,
      stream_options: { include_usage: true },
    });
  });

  test("what clients send without being asked to is left out where it is not taken", () => {
    const fields = chat({ ...HI, metadata: { user_id: "u" }, service_tier: "auto" }, "ollama/llama3");
    expect(Object.keys(fields).filter((name) => name === "service_tier")).toEqual([]);
  });

  test.each([
    ["mcp_servers", [{ name: "a" }]],
    ["container", "c"],
  ] as const)("%s is refused", (name, value) => {
    expect(() => chat({ ...HI, [name]: value })).toThrow(`does not have \`${name}\``);
    expect(chat({ ...HI, [name]: value, drop_params: true })[name]).toBeUndefined();
  });

  test.each([
    ["openai/o3", { thinking: { type: "enabled", budget_tokens: 1024 } }, { reasoning_effort: "low" }],
    ["openai/o3", { thinking: { type: "enabled", budget_tokens: 4000 } }, { reasoning_effort: "medium" }],
    ["openai/o3", { thinking: { type: "enabled", budget_tokens: 31_999 } }, { reasoning_effort: "high" }],
    ["openai/o3", { thinking: { type: "adaptive" } }, {}],
    ["openai/o3", { thinking: { type: "disabled" }, output_config: { effort: "low" } }, {}],
    ["openai/o3", { thinking: { type: "adaptive" }, output_config: { effort: "max" } }, { reasoning_effort: "high" }],
    ["openai/gpt-4o", { thinking: { type: "enabled", budget_tokens: 1024 } }, {}],
    ["gemini/gemini-2.5-flash", { thinking: { type: "disabled" } }, { thinking: { type: "disabled" } }],
    ["bedrock/anthropic.claude-sonnet-4-5", { thinking: { type: "adaptive" } }, { thinking: { type: "adaptive" } }],
  ])("%s is told to think by %j", (model, given, expected) => {
    const { reasoning_effort, thinking, output_config } = chat({ ...HI, ...given }, model);
    expect(JSON.parse(JSON.stringify({ reasoning_effort, thinking, output_config }))).toEqual(expected);
  });

  test("a schema that OpenAI would refuse as a strict one is not", () => {
    const open = { type: "object", properties: { a: { type: "string" } }, additionalProperties: false };
    const closed = { ...open, required: ["a"] };
    const strictOf = (schema: object) =>
      chat({ ...HI, output_config: { format: { type: "json_schema", schema } } }).response_format;
    expect(strictOf(open)).toMatchObject({ json_schema: { strict: false } });
    expect(strictOf(closed)).toEqual({
      type: "json_schema",
      json_schema: { name: "answer", schema: closed, strict: true },
    });
  });
});

test.each([
  [{ n: 2 }, "n: it is no field of a message"],
  [{ response_format: { type: "text" } }, "response_format"],
  [{ output_format: { type: "xml" } }, "json_schema"],
])("a body with %j is refused", (fields, message) => {
  expect(() => chat({ ...HI, ...fields })).toThrow(message);
});

test("names that every object has are fields like any other", () => {
  const named = { constructor: "x", toString: 1 };
  expect(chat({ ...HI, ...named }, "anthropic/claude-sonnet-4-5")).toMatchObject(named);
  expect(droppedOf(chat({ ...HI, ...named }))).toEqual(["constructor", "toString"]);
});

test("whatever blocks hold, a request is translated or refused", () => {
  const odd = fc.oneof(fc.jsonValue({ maxDepth: 1 }), fc.constantFrom(null, "", "text", [], [{}], { type: "text" }));
  const type = fc.constantFrom(
    ...[
      "text",
      "image",
      "document",
      "search_result",
      "thinking",
      "redacted_thinking",
      "tool_use",
      "tool_result",
      "other",
    ],
  );
  const fields = { text: odd, source: odd, content: odd, thinking: odd, signature: odd, data: odd, input: odd };
  const more = { id: odd, name: odd, tool_use_id: odd, is_error: odd, cache_control: odd, title: odd };
  const block = fc.record({ type, ...fields, ...more }, { requiredKeys: ["type"] });
  const turn = fc.record({ role: fc.constantFrom("user", "assistant"), content: fc.array(block, { maxLength: 4 }) });
  const tool = fc.record({ type: odd, name: odd, input_schema: odd, strict: odd }, { requiredKeys: [] });
  const body = fc.record({
    messages: fc.array(turn, { minLength: 1, maxLength: 4 }),
    system: fc.array(block, { maxLength: 2 }),
    tools: fc.array(tool, { maxLength: 2 }),
    thinking: fc.record({ type: fc.constantFrom("enabled", "disabled", "x"), budget_tokens: odd }),
    metadata: fc.dictionary(fc.string(), odd),
    max_tokens: fc.nat(),
  });
  fc.assert(
    fc.property(
      body,
      fc.constantFrom("openai/o3", "gemini/gemini-2.5-flash", "anthropic/claude-opus-4-6"),
      (given, model) => {
        try {
          if (model.startsWith("anthropic")) sentToAnthropic(given, null, model);
          else chat(given, model);
        } catch (thrown) {
          expect(thrown).toBeInstanceOf(GatewayError);
        }
      },
    ),
    { numRuns: runs(400) },
  );
});
