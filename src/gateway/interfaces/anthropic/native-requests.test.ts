import { describe, expect, test } from "bun:test";
import { CACHE, fieldsFor, HI, sentToAnthropic } from "./test-request.ts";

describe("to Anthropic's own models a request goes as it is", () => {
  const whole = {
    system: [{ type: "text", text: "Be kind.", cache_control: CACHE }],
    messages: [
      {
        role: "user",
        content: [
          { type: "text", text: "Look", cache_control: CACHE },
          { type: "image", source: { type: "base64", media_type: "image/png", data: "AAAA" } },
          { type: "image", source: { type: "file", file_id: "file_1" } },
          {
            type: "document",
            source: { type: "text", media_type: "text/plain", data: "Some text" },
            title: "Notes",
            context: "from a friend",
            citations: { enabled: true },
          },
          { type: "search_result", source: "https://a.test", title: "A", content: [{ type: "text", text: "found" }] },
        ],
      },
      {
        role: "assistant",
        content: [
          { type: "thinking", thinking: "First.", signature: "one" },
          { type: "text", text: "Let me see." },
          { type: "thinking", thinking: "Then.", signature: "two" },
          { type: "redacted_thinking", data: "x" },
          { type: "server_tool_use", id: "srv_1", name: "web_search", input: { query: "q" } },
          { type: "web_search_tool_result", tool_use_id: "srv_1", content: [] },
          { type: "tool_use", id: "toolu_1", name: "look", input: { name: "a" }, cache_control: CACHE },
          { type: "tool_use", id: "toolu_2", name: "look", input: {} },
        ],
      },
      {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: "toolu_2", content: "plain", is_error: true },
          {
            type: "tool_result",
            tool_use_id: "toolu_1",
            content: [
              { type: "text", text: "seen" },
              { type: "image", source: { type: "url", url: "https://a.test/p.png" } },
            ],
            cache_control: CACHE,
          },
          { type: "text", text: "Go on." },
        ],
      },
    ],
    tools: [
      { name: "look", input_schema: { type: "object" }, strict: true, cache_control: CACHE, defer_loading: true },
      { type: "web_search_20250305", name: "web_search", max_uses: 3 },
      { type: "mcp_toolset", mcp_server_name: "notes" },
    ],
    max_tokens: 2000,
    top_k: 5,
    thinking: { type: "enabled", budget_tokens: 1024 },
    stop_sequences: ["END"],
    metadata: { user_id: "user_1" },
    service_tier: "standard_only",
    context_management: { edits: [{ type: "clear_tool_uses_20250919" }] },
    container: "container_1",
    mcp_servers: [{ type: "url", name: "notes", url: "https://a.test/mcp" }],
    output_config: { effort: "low" },
  };

  test.each(["anthropic/claude-sonnet-4-5", "vertex_ai/claude-sonnet-4-5"])(
    "with every block and field: %s",
    (model) => {
      const { fields, provider } = fieldsFor(model, { ...whole, stream: true });
      expect(provider.messagesForm?.("claude-sonnet-4-5")).toBe("whole");
      expect(fields.messages).toEqual(whole.messages);
      if (model.startsWith("vertex")) return;
      const { body } = sentToAnthropic({ ...whole, stream: true });
      expect(body).toEqual({ model: "claude-sonnet-4-5", ...whole, stream: true });
    },
  );

  test.each([
    [{ type: "auto", disable_parallel_tool_use: true }],
    [{ type: "any" }],
    [{ type: "tool", name: "look", disable_parallel_tool_use: true }],
    [{ type: "none" }],
  ])("with the choice of tools %j", (choice) => {
    const tools = [{ name: "look", input_schema: { type: "object" } }];
    expect(sentToAnthropic({ ...HI, tools, tool_choice: choice }).body.tool_choice).toEqual(choice);
  });

  test("with its betas, and without thoughts that nobody has signed", () => {
    const messages = [
      { role: "user", content: "Hi" },
      { role: "assistant", content: [{ type: "thinking", thinking: "mine", signature: "" }] },
      {
        role: "assistant",
        content: [
          { type: "thinking", thinking: "mine", signature: "" },
          { type: "text", text: "Hello" },
        ],
      },
      { role: "user", content: "Bye" },
    ];
    const { body, headers } = sentToAnthropic({ ...HI, messages }, "context-1m-2025-08-07,fine-2025-05-14");
    expect(headers["anthropic-beta"]).toBe("context-1m-2025-08-07,fine-2025-05-14");
    expect(body.messages).toEqual([
      { role: "user", content: [{ type: "text", text: "Hi" }] },
      { role: "assistant", content: [{ type: "text", text: "Hello" }] },
      { role: "user", content: [{ type: "text", text: "Bye" }] },
    ]);
  });

  test("a schema for its output is kept, under either name", () => {
    const schema = { type: "object", properties: { a: { type: "string" } }, required: [], additionalProperties: false };
    const format = { type: "json_schema", schema };
    for (const fields of [{ output_format: format }, { output_config: { format } }]) {
      expect(sentToAnthropic({ ...HI, ...fields }).body.output_config).toEqual({ format });
    }
  });
});
