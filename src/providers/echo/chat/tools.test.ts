import { describe, expect, test } from "bun:test";
import type { ChatCompletion, ChatCompletionChunk } from "openai/resources";
import { said, testEcho } from "../test-echo.ts";

const { json, events, refusal } = testEcho();
const ask = async (body: object) => (await json<ChatCompletion>("chat/completions", body)).choices[0];

const parameters = {
  type: "object",
  properties: { city: { type: "string" }, days: { type: "integer", minimum: 1 } },
  required: ["city", "days"],
};
const weather = { type: "function", function: { name: "get_weather", parameters } };
const time = { type: "function", function: { name: "get_time" } };
const tools = [weather, time];

function names(choice: ChatCompletion.Choice | undefined): string[] {
  return (choice?.message.tool_calls ?? []).map((call) =>
    call.type === "function" ? call.function.name : call.custom.name,
  );
}

describe("which tool is called", () => {
  const cases: readonly [string, string, object, readonly string[]][] = [
    ["one that the message mentions with spaces", "Please get weather, now", {}, ["get_weather"]],
    ["one that the message mentions as it is", "call GET_WEATHER", {}, ["get_weather"]],
    ["none when none is mentioned", "weather?", {}, []],
    ["none for a part of a word", "forget weather", {}, []],
    ["several in parallel", "get time and get weather", {}, ["get_weather", "get_time"]],
    ["only one without parallel calls", "get time and get weather", { parallel_tool_calls: false }, ["get_weather"]],
    ["none when forbidden", "get weather", { tool_choice: "none" }, []],
    ["the first when required", "hello", { tool_choice: "required" }, ["get_weather"]],
    ["the named one", "hello", { tool_choice: { type: "function", function: { name: "get_time" } } }, ["get_time"]],
    [
      "only an allowed one",
      "get time and get weather",
      { tool_choice: { type: "allowed_tools", allowed_tools: { mode: "auto", tools: [time] } } },
      ["get_time"],
    ],
  ];
  for (const [name, text, extra, expected] of cases) {
    test(`${name}`, async () => {
      const choice = await ask({ ...said(text), tools, ...extra });
      expect(names(choice)).toEqual([...expected]);
      expect(choice?.finish_reason).toBe(expected.length > 0 ? "tool_calls" : "stop");
    });
  }

  test("a tool_choice that names no given tool is refused", async () => {
    const choice = { type: "function", function: { name: "fly" } };
    expect(await refusal("chat/completions", { ...said("x"), tools, tool_choice: choice })).toMatchObject({
      status: 400,
      param: "tool_choice",
    });
    expect(await refusal("chat/completions", { ...said("x"), tool_choice: "required" })).toMatchObject({ status: 400 });
  });
});

describe("what is called with", () => {
  test("the arguments satisfy the schema and hold the user's text", async () => {
    const choice = await ask({ ...said("get weather in Paris"), tools });
    expect(choice?.message).toMatchObject({
      content: null,
      tool_calls: [
        { type: "function", function: { name: "get_weather", arguments: '{"city":"get weather in Paris","days":1}' } },
      ],
    });
  });

  test("a custom tool gets the user's text", async () => {
    const choice = await ask({ ...said("run it"), tools: [{ type: "custom", custom: { name: "run" } }] });
    expect(choice?.message.tool_calls).toMatchObject([{ type: "custom", custom: { name: "run", input: "run it" } }]);
  });

  test("too few tokens cut the arguments", async () => {
    const body = { ...said("get weather"), tools, max_tokens: 3 };
    const { choices, usage } = await json<ChatCompletion>("chat/completions", body);
    expect(choices[0]).toMatchObject({
      finish_reason: "length",
      message: { tool_calls: [{ function: { arguments: '{"city' } }] },
    });
    expect(usage?.completion_tokens).toBe(3);
  });

  test("the older functions are answered in their own form", async () => {
    const functions = [weather.function];
    const choice = await ask({ ...said("get weather"), functions });
    expect(choice).toMatchObject({
      finish_reason: "function_call",
      message: { function_call: { name: "get_weather", arguments: '{"city":"get weather","days":1}' } },
    });
    expect((await ask({ ...said("get weather"), functions, function_call: "none" }))?.finish_reason).toBe("stop");
  });
});

test("after a tool's result the answer quotes it, under the tool's name", async () => {
  const call = { id: "call_1", type: "function", function: { name: "get_weather", arguments: "{}" } };
  const messages = [
    { role: "user", content: "get weather" },
    { role: "assistant", content: null, tool_calls: [call] },
    { role: "tool", tool_call_id: "call_1", content: "21 degrees" },
  ];
  const choice = await ask({ model: "echo", messages, tools });
  expect(choice).toMatchObject({ finish_reason: "stop", message: { content: "get_weather answered: 21 degrees" } });
});

describe("streamed calls", () => {
  test("begin with id and name, go on with pieces of the arguments, and keep the calls apart by index", async () => {
    const chunks = await events<ChatCompletionChunk>("chat/completions", {
      ...said("get time and get weather"),
      tools,
    });
    const deltas = chunks.flatMap(({ choices }) => choices[0]?.delta.tool_calls ?? []);
    const first = deltas.filter(({ index }) => index === 0);
    expect(first[0]).toMatchObject({
      id: expect.stringMatching(/^call_/),
      type: "function",
      function: { name: "get_weather", arguments: "" },
    });
    expect(first.slice(1).every(({ id }) => id === undefined)).toBe(true);
    const text = first.map((delta) => delta.function?.arguments).join("");
    expect(JSON.parse(text)).toEqual({ city: "get time and get weather", days: 1 });
    expect(deltas.filter(({ index }) => index === 1)[0]?.function?.name).toBe("get_time");
    expect(chunks.at(-1)?.choices[0]?.finish_reason).toBe("tool_calls");
  });

  test("the older form streams one function_call", async () => {
    const chunks = await events<ChatCompletionChunk>("chat/completions", {
      ...said("get weather"),
      functions: [weather.function],
    });
    const deltas = chunks.map(({ choices }) => choices[0]?.delta.function_call).filter((delta) => delta !== undefined);
    expect(deltas[0]?.name).toBe("get_weather");
    expect(JSON.parse(deltas.map((delta) => delta?.arguments).join(""))).toEqual({ city: "get weather", days: 1 });
  });
});
