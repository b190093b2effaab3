import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { TRIPPING } from "../../../test/upstreams/hostile.ts";
import { GatewayError } from "../../contract/errors.ts";
import { encodedBody, ODD_VALUES } from "./test-request.ts";

const weather = {
  type: "function",
  function: {
    name: "get_weather",
    description: "The weather of a city",
    parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
    strict: true,
  },
};
const weatherTool = {
  name: "get_weather",
  description: "The weather of a city",
  input_schema: weather.function.parameters,
};

test("a rich request becomes exactly this body", () => {
  const body = encodedBody({
    messages: [
      { role: "system", content: "Be brief." },
      { role: "user", content: [{ type: "text", text: "Weather?" }] },
    ],
    max_completion_tokens: 300,
    temperature: 0.4,
    top_p: 0.9,
    stop: ["END", "\n"],
    tools: [weather],
    tool_choice: "auto",
    parallel_tool_calls: false,
    user: "user-7",
    service_tier: "default",
    stream: true,
    stream_options: { include_usage: true },
    metadata: { tags: ["a"] },
    top_k: 20,
    container: null,
  });
  expect(body).toEqual({
    model: "claude-sonnet-4-20250514",
    max_tokens: 300,
    system: [{ type: "text", text: "Be brief." }],
    messages: [{ role: "user", content: [{ type: "text", text: "Weather?" }] }],
    temperature: 0.4,
    top_p: 0.9,
    stop_sequences: ["END"],
    tools: [weatherTool],
    tool_choice: { type: "auto", disable_parallel_tool_use: true },
    metadata: { user_id: "user-7" },
    service_tier: "standard_only",
    stream: true,
    top_k: 20,
  });
});

test("nothing but the necessary is sent when nothing is asked", () => {
  expect(encodedBody({})).toEqual({
    model: "claude-sonnet-4-20250514",
    max_tokens: 4096,
    messages: [{ role: "user", content: [{ type: "text", text: "Hi" }] }],
  });
});

test("the caller's own field wins over what a parameter would give", () => {
  const body = encodedBody({ stop: "a", stop_sequences: ["b"], model: "x" });
  expect(body.stop_sequences).toEqual(["b"]);
  expect(body.model).toBe("claude-sonnet-4-20250514");
});

describe("sampling", () => {
  test("a temperature outside Anthropic's range is moved to its border", () => {
    expect(encodedBody({ temperature: 1.7 }).temperature).toBe(1);
    expect(encodedBody({ temperature: -1 }).temperature).toBe(0);
  });

  test("a model that takes only one of temperature and top_p gets one", () => {
    const both = encodedBody({ temperature: 0.5, top_p: 0.9 }, "claude-sonnet-4-5");
    expect(both).toMatchObject({ temperature: 0.5 });
    expect(both.top_p).toBeUndefined();
    expect(encodedBody({ top_p: 0.9 }, "claude-sonnet-4-5").top_p).toBe(0.9);
  });

  test("a model that takes neither gets neither", () => {
    const body = encodedBody({ temperature: 0.5, top_p: 0.9 }, "claude-opus-5");
    expect(body.temperature).toBeUndefined();
    expect(body.top_p).toBeUndefined();
  });
});

test("an id of a user that is a mail address, a telephone number or too long is not passed on", () => {
  for (const user of ["a@b.test", "+49 221 123456", "x".repeat(300), ""]) {
    expect(encodedBody({ user }).metadata).toBeUndefined();
  }
});

describe("tools", () => {
  const choice = (fields: object) => encodedBody({ tools: [weather], ...fields }).tool_choice;

  test("every choice has its counterpart", () => {
    expect(choice({})).toBeUndefined();
    expect(choice({ tool_choice: "auto" })).toEqual({ type: "auto" });
    expect(choice({ tool_choice: "none", parallel_tool_calls: false })).toEqual({ type: "none" });
    expect(choice({ tool_choice: "required" })).toEqual({ type: "any" });
    expect(choice({ tool_choice: { type: "function", function: { name: "get_weather" } } })).toEqual({
      type: "tool",
      name: "get_weather",
    });
    expect(choice({ parallel_tool_calls: false })).toEqual({ type: "auto", disable_parallel_tool_use: true });
    expect(choice({ parallel_tool_calls: true })).toBeUndefined();
    expect(() => choice({ tool_choice: "sometimes" })).toThrow("tool_choice");
  });

  test("a choice without tools is not sent", () => {
    expect(encodedBody({ tool_choice: "auto" }).tool_choice).toBeUndefined();
  });

  test("a function without parameters gets an empty schema, one without a type the type", () => {
    const tools = [
      { type: "function", function: { name: "a" } },
      {
        type: "function",
        function: { name: "b", parameters: { properties: {} } },
        cache_control: { type: "ephemeral" },
      },
    ];
    expect(encodedBody({ tools }).tools).toEqual([
      { name: "a", input_schema: { type: "object", properties: {} } },
      { name: "b", input_schema: { type: "object", properties: {} }, cache_control: { type: "ephemeral" } },
    ]);
  });

  test("Anthropic's own tools pass, tools of unknown kinds are refused", () => {
    const search = { type: "web_search_20250305", name: "web_search", max_uses: 2 };
    expect(encodedBody({ tools: [search] }).tools).toEqual([search]);
    for (const tool of [{ type: "custom", custom: { name: "x" } }, {}, { type: "function", function: {} }]) {
      expect(() => encodedBody({ tools: [tool] })).toThrow();
    }
  });

  test("functions of the older interface are tools, one call at a time", () => {
    const body = encodedBody({ functions: [weather.function], function_call: { name: "get_weather" } });
    expect(body.tools).toEqual([weatherTool]);
    expect(body.tool_choice).toEqual({ type: "tool", name: "get_weather", disable_parallel_tool_use: true });
    expect(encodedBody({ functions: [weather.function], function_call: "none" }).tool_choice).toEqual({ type: "none" });
    expect(body.functions).toBeUndefined();
    const beside = encodedBody({ tools: [], functions: [weather.function] });
    expect(beside).toEqual(encodedBody({ functions: [weather.function] }));
  });

  test("tools of earlier calls are defined, and not offered, when the request has none", () => {
    const body = encodedBody({
      messages: [
        { role: "user", content: "Go" },
        { role: "assistant", tool_calls: [{ id: "a", type: "function", function: { name: "f", arguments: "{}" } }] },
        { role: "tool", tool_call_id: "a", content: "1" },
      ],
    });
    expect(body.tools).toEqual([{ name: "f", input_schema: { type: "object", properties: {} } }]);
    expect(body.tool_choice).toEqual({ type: "none" });
  });
});

describe("thinking", () => {
  const midCall = (extra: object) => [
    { role: "user", content: "Go" },
    {
      role: "assistant",
      tool_calls: [{ id: "a", type: "function", function: { name: "f", arguments: "{}" } }],
      ...extra,
    },
    { role: "tool", tool_call_id: "a", content: "1" },
  ];

  test("an effort becomes a budget, and max_tokens stays above it", () => {
    const thinking = (budget_tokens: number) => ({ type: "enabled", budget_tokens });
    expect(encodedBody({ reasoning_effort: "low" })).toMatchObject({ thinking: thinking(1024), max_tokens: 4096 });
    expect(encodedBody({ reasoning_effort: "medium" })).toMatchObject({ thinking: thinking(2048), max_tokens: 4096 });
    expect(encodedBody({ reasoning_effort: "high" })).toMatchObject({ thinking: thinking(4096), max_tokens: 8192 });
    expect(encodedBody({ reasoning_effort: "medium", max_tokens: 100 })).toMatchObject({ max_tokens: 2148 });
    expect(encodedBody({ reasoning_effort: "none" }).thinking).toBeUndefined();
  });

  test("sampling is left out while a model thinks", () => {
    const body = encodedBody({ reasoning_effort: "low", temperature: 0.2, top_p: 0.5 });
    expect(body.temperature).toBeUndefined();
    expect(body.top_p).toBeUndefined();
    expect(encodedBody({ thinking: { type: "disabled" }, temperature: 0.2 }).temperature).toBe(0.2);
  });

  test("the caller's own thinking passes; a default of max_tokens makes room for it, a given one stays", () => {
    const thinking = { type: "enabled", budget_tokens: 10_000 };
    const body = encodedBody({ thinking, reasoning_effort: "low", temperature: 0.2 });
    expect(body).toMatchObject({ thinking, max_tokens: 14_096 });
    expect(body.temperature).toBeUndefined();
    expect(encodedBody({ thinking, max_tokens: 500 }).max_tokens).toBe(500);
  });

  test("models that decide themselves get an effort, and those that hide their thinking are asked for a summary", () => {
    expect(encodedBody({ reasoning_effort: "low" }, "claude-opus-4-6")).toMatchObject({
      thinking: { type: "adaptive" },
      output_config: { effort: "low" },
      max_tokens: 16_384,
    });
    const hidden = encodedBody({ reasoning_effort: "xhigh" }, "claude-opus-5-5");
    expect(hidden.thinking).toEqual({ type: "adaptive", display: "summarized" });
    expect(hidden.output_config).toEqual({ effort: "xhigh" });
    expect(encodedBody({ reasoning_effort: "xhigh" }, "claude-sonnet-4-6").output_config).toEqual({ effort: "max" });
  });

  test("no effort is the least effort where thinking cannot be left out", () => {
    const body = encodedBody({ reasoning_effort: "none" }, "claude-fable-5-1");
    expect(body.output_config).toEqual({ effort: "low" });
    expect(body.thinking).toBeUndefined();
    expect(encodedBody({ reasoning_effort: "none" }, "claude-opus-4-7").output_config).toBeUndefined();
  });

  test("an output_config of the caller is joined with the effort, and wins", () => {
    const body = encodedBody({ reasoning_effort: "low", output_config: { task_budget: 1 } }, "claude-opus-5");
    expect(body.output_config).toEqual({ effort: "low", task_budget: 1 });
  });

  test("an effort gives way to a tool that has to be called", () => {
    const forced = { tools: [weather], tool_choice: "required", reasoning_effort: "high" };
    expect(encodedBody(forced).thinking).toBeUndefined();
    expect(encodedBody(forced, "claude-opus-4-6").thinking).toBeUndefined();
    expect(encodedBody(forced, "claude-opus-4-6").output_config).toEqual({ effort: "high" });
  });

  test("an effort gives way when results come back without the thinking that led to the calls", () => {
    expect(encodedBody({ messages: midCall({}), reasoning_effort: "low" }).thinking).toBeUndefined();
    const thinking_blocks = [{ type: "thinking", thinking: "a", signature: "s" }];
    expect(encodedBody({ messages: midCall({ thinking_blocks }), reasoning_effort: "low" }).thinking).toBeDefined();
    expect(encodedBody({ messages: midCall({}), reasoning_effort: "low" }, "claude-opus-4-6").thinking).toBeDefined();
    const besides = [...midCall({}), { role: "user", content: "Go on." }];
    expect(encodedBody({ messages: besides, reasoning_effort: "low" }).thinking).toBeUndefined();
  });
});

test("whatever a caller writes inside messages and fields becomes a body or a gateway error", () => {
  const any = fc.constantFrom(...ODD_VALUES, ...TRIPPING);
  const part = fc.record(
    {
      type: fc.constantFrom("text", "image_url", "file", "image", "thinking", "refusal", "x"),
      text: any,
      image_url: any,
      file: any,
      cache_control: any,
    },
    { requiredKeys: [] },
  );
  const message = fc.record(
    {
      role: fc.constantFrom("system", "developer", "user", "assistant", "tool", "function"),
      content: fc.oneof(fc.constant(null), fc.string(), fc.array(part, { maxLength: 3 })),
      tool_calls: fc.array(fc.dictionary(fc.constantFrom("id", "function", "type"), any)),
      function_call: fc.dictionary(fc.constantFrom("name", "arguments"), any),
      tool_call_id: fc.string(),
      thinking_blocks: any,
      cache_control: any,
    },
    { requiredKeys: ["role"] },
  );
  const fields = fc.record(
    {
      messages: fc.array(message, { minLength: 1, maxLength: 4 }),
      response_format: fc.record({ type: fc.constantFrom("json_object", "json_schema"), json_schema: any }),
      tools: fc.array(fc.dictionary(fc.constantFrom("type", "function", "name"), any)),
      tool_choice: any,
      reasoning_effort: fc.oneof(any, fc.constantFrom("low", "constructor")),
      thinking: any,
      stop: any,
      service_tier: any,
      system: any,
      output_config: any,
      anthropic_beta: any,
    },
    { requiredKeys: ["messages"] },
  );
  const models = fc.constantFrom("claude-3-haiku-20240307", "claude-sonnet-4-5", "claude-opus-5-5");
  fc.assert(
    fc.property(fields, models, (given, model) => {
      try {
        return typeof encodedBody(given, model) === "object";
      } catch (error) {
        return error instanceof GatewayError;
      }
    }),
  );
});
