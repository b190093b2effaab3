import { describe, expect, test } from "bun:test";
import { body, call, weather, weatherSpec } from "../../../test/upstreams/converse-samples.ts";
import type { Message } from "../../contract/chat.ts";

describe("tools", () => {
  const history: Message[] = [
    { role: "user", content: "a" },
    { role: "assistant", tool_calls: call("a") },
    { role: "tool", tool_call_id: "a", content: "1" },
  ];

  test.each([
    [undefined, undefined],
    ["auto", undefined],
    ["required", { any: {} }],
    [{ type: "function", function: { name: "get_weather" } }, { tool: { name: "get_weather" } }],
  ])("with tool_choice %p are chosen by %p", (tool_choice, toolChoice) => {
    expect(body({ tools: [weather], tool_choice }).toolConfig).toEqual({
      tools: [weatherSpec],
      ...(toolChoice && { toolChoice }),
    });
  });

  test("that the caller forbids are not offered", () => {
    expect(body({ tools: [weather], tool_choice: "none" })).not.toHaveProperty("toolConfig");
  });

  test("are never absent while the history has calls, since Bedrock would refuse it", () => {
    const standIn = { tools: [{ toolSpec: { name: "gateway_no_tool" } }] };
    expect(body({ messages: history }).toolConfig).toMatchObject(standIn);
    expect(body({ messages: history, tools: [weather], tool_choice: "none" }).toolConfig).toMatchObject(standIn);
    expect(body({ messages: history, tools: [weather] }).toolConfig).toEqual({ tools: [weatherSpec] });
  });

  test("one by one are asked of Claude in its own words, which replace Converse's", () => {
    const fields = { tools: [weather], tool_choice: "required", parallel_tool_calls: false };
    const encoded = body(fields, "us.anthropic.claude-sonnet-4-5-20250929-v1:0");
    expect(encoded.toolConfig).toEqual({ tools: [weatherSpec] });
    expect(encoded.additionalModelRequestFields).toEqual({
      tool_choice: { type: "any", disable_parallel_tool_use: true },
    });
    const none = { ...fields, tools: [], tool_choice: "auto" };
    expect(body(none, "us.anthropic.claude-sonnet-4-5-20250929-v1:0")).not.toHaveProperty(
      "additionalModelRequestFields",
    );
  });

  test("in Bedrock's own form pass as they are, and the caller's toolConfig replaces ours", () => {
    expect(body({ tools: [{ systemTool: { name: "nova_grounding" } }] }).toolConfig).toEqual({
      tools: [{ systemTool: { name: "nova_grounding" } }],
    });
    expect(body({ tools: [weather], toolConfig: { tools: [] } }).toolConfig).toEqual({ tools: [] });
  });

  test.each([
    [{ tools: [{ type: "web_search" }] }, "tools"],
    [{ tools: ["x"] }, "tools"],
    [{ functions: [{}] }, "tools"],
    [{ tools: [weather], tool_choice: { type: "new" } }, "tool_choice"],
    [{ response_format: { type: "json_schema" } }, "response_format"],
  ])("that cannot be understood are refused: %j", (fields, param) => {
    try {
      body(fields);
      throw new Error("not refused");
    } catch (thrown) {
      expect(thrown).toMatchObject({ kind: "invalid_request", param });
    }
  });
});

describe("an answer in JSON", () => {
  const schema = { type: "object", properties: { year: { type: "integer" } }, required: ["year"] };
  const closed = { ...schema, additionalProperties: false };
  const response_format = { type: "json_schema", json_schema: { name: "born", schema, strict: true } };
  const answerSpec = { toolSpec: { name: "gateway_json_answer", inputSchema: { json: schema } } };

  test("is handed over by a tool that the model is forced to call", () => {
    expect(body({ response_format }).toolConfig).toMatchObject({
      tools: [answerSpec],
      toolChoice: { tool: { name: "gateway_json_answer" } },
    });
    expect(body({ response_format }, "mistral.mistral-large-2402-v1:0").toolConfig).toMatchObject({
      tools: [answerSpec],
      toolChoice: { any: {} },
    });
  });

  test("stands beside the caller's tools, and one of them has to be called", () => {
    expect(body({ response_format, tools: [weather] }).toolConfig).toMatchObject({
      tools: [weatherSpec, answerSpec],
      toolChoice: { any: {} },
    });
  });

  test("gives way to a call that the caller demands", () => {
    expect(body({ response_format, tools: [weather], tool_choice: "required" }).toolConfig).toEqual({
      tools: [weatherSpec],
      toolChoice: { any: {} },
    });
  });

  test("is asked for in words where a model cannot be forced, and for a schema that is no object's", () => {
    const words = /no code fence.*"integer"/;
    const told = (fields: object, model?: string) => {
      const { system, toolConfig } = body({ response_format, ...fields }, model);
      expect(toolConfig).toBeUndefined();
      return (system as { text: string }[]).at(-1)?.text ?? "";
    };
    expect(told({}, "meta.llama3-70b-instruct-v1:0")).toMatch(words);
    expect(told({ thinking: { type: "enabled", budget_tokens: 2000 } })).toMatch(words);
    const list = {
      type: "json_schema",
      json_schema: { name: "l", schema: { type: "array", items: { type: "integer" } } },
    };
    expect(told({ response_format: list })).toMatch(words);
    const either = { type: "json_schema", json_schema: { name: "e", schema: { anyOf: [schema, { type: "object" }] } } };
    expect(told({ response_format: either })).toMatch(words);
    expect(told({ response_format: { type: "json_object" } })).toMatch(/one object/);
  });

  test("is bound by Claude's own format where thinking forbids the tool", () => {
    const format = { type: "json_schema", json_schema: { name: "born", schema: closed } };
    const encoded = body(
      { response_format: format, thinking: { type: "adaptive" } },
      "us.anthropic.claude-opus-4-6-v1",
    );
    expect(encoded.toolConfig).toBeUndefined();
    expect(encoded.outputConfig).toEqual({
      textFormat: {
        type: "json_schema",
        structure: { jsonSchema: { name: "born", schema: JSON.stringify(closed) } },
      },
    });
  });
});

describe("reasoning", () => {
  const fields = (request: Record<string, unknown>, model: string) =>
    body(request, model).additionalModelRequestFields as unknown;

  test.each([
    ["us.anthropic.claude-3-7-sonnet-20250219-v1:0", "low", { thinking: { type: "enabled", budget_tokens: 1024 } }],
    ["anthropic.claude-sonnet-4-20250514-v1:0", "high", { thinking: { type: "enabled", budget_tokens: 4096 } }],
    ["anthropic.claude-opus-4-6-v1", "medium", { thinking: { type: "adaptive" }, output_config: { effort: "medium" } }],
    ["anthropic.claude-sonnet-4-20250514-v1:0", "none", undefined],
    ["openai.gpt-oss-120b-1:0", "minimal", { reasoning_effort: "low" }],
    ["us.amazon.nova-2-lite-v1:0", "high", { reasoningConfig: { type: "enabled", maxReasoningEffort: "high" } }],
    ["us.amazon.nova-2-lite-v1:0", "none", { reasoningConfig: { type: "disabled" } }],
  ])("of %s at effort %s", (model, reasoning_effort, expected) => {
    expect(fields({ reasoning_effort }, model)).toEqual(expected);
  });

  test("fits below the limit of the answer, or is left out", () => {
    const model = "anthropic.claude-sonnet-4-20250514-v1:0";
    expect(fields({ reasoning_effort: "high", max_tokens: 2000 }, model)).toEqual({
      thinking: { type: "enabled", budget_tokens: 1999 },
    });
    expect(fields({ reasoning_effort: "high", max_tokens: 1000 }, model)).toBeUndefined();
  });

  test("of the caller's own wording stands before ours", () => {
    const thinking = { type: "enabled", budget_tokens: 9000 };
    expect(fields({ reasoning_effort: "low", thinking }, "anthropic.claude-sonnet-4-20250514-v1:0")).toEqual({
      thinking,
    });
  });

  test("gives way to a call that is demanded", () => {
    const request = { reasoning_effort: "low", tools: [weather], tool_choice: "required" };
    expect(fields(request, "anthropic.claude-sonnet-4-20250514-v1:0")).toBeUndefined();
  });
});
