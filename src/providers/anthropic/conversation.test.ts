import { expect, test } from "bun:test";
import type { Message } from "../../contract/chat.ts";
import { encodedBody, encodedTurns } from "./test-request.ts";

const text = (words: string) => ({ type: "text", text: words });
const PNG = "iVBORw0KGgo=";
const call = (id: string, name: string, args: string) => ({
  id,
  type: "function" as const,
  function: { name, arguments: args },
});
const refusal = (messages: readonly Message[]): unknown => {
  try {
    return encodedTurns(messages);
  } catch (error) {
    return { kind: (error as { kind?: unknown }).kind, param: (error as { param?: unknown }).param };
  }
};

test("system and developer messages become system blocks, wherever they stand, and keep their cache marks", () => {
  const cache_control = { type: "ephemeral" };
  const body = encodedBody({
    messages: [
      { role: "system", content: [{ type: "text", text: "Long book.", cache_control }] },
      { role: "user", content: "Hi" },
      { role: "developer", content: "Be brief." },
      { role: "system", content: "Marked as a whole.", cache_control },
    ],
  });
  expect(body.system).toEqual([
    { ...text("Long book."), cache_control },
    text("Be brief."),
    { ...text("Marked as a whole."), cache_control },
  ]);
  expect(body.messages).toEqual([{ role: "user", content: [text("Hi")] }]);
});

test("a system field of the caller and system messages are both kept", () => {
  const messages = [
    { role: "system", content: "B" },
    { role: "user", content: "Hi" },
  ];
  expect(encodedBody({ messages, system: "A" }).system).toEqual([text("A"), text("B")]);
});

test("a prompt of system messages alone becomes the user's words", () => {
  const body = encodedBody({ messages: [{ role: "system", content: "Tell a joke." }] });
  expect(body.system).toBeUndefined();
  expect(body.messages).toEqual([{ role: "user", content: [text("Tell a joke.")] }]);
});

test("turns alternate and begin with the user: neighbours of one role are merged, empty ones vanish", () => {
  const turns = encodedTurns([
    { role: "assistant", content: "Welcome." },
    { role: "user", content: "One" },
    { role: "user", content: [text("Two"), text("  ")] },
    { role: "assistant", content: "" },
    { role: "user", content: "Three" },
    { role: "assistant", content: null },
  ]);
  expect(turns).toEqual([
    { role: "user", content: [text(".")] },
    { role: "assistant", content: [text("Welcome.")] },
    { role: "user", content: [text("One"), text("Two"), text("Three")] },
  ]);
});

test("a user message without words still has its turn", () => {
  expect(encodedTurns([{ role: "user", content: "" }])).toEqual([{ role: "user", content: [text(".")] }]);
});

test("an answer begun for the model loses the white space at its end", () => {
  const turns = encodedTurns([
    { role: "user", content: "Hi" },
    { role: "assistant", content: "The answer is \n" },
  ]);
  expect(turns).toEqual([
    { role: "user", content: [text("Hi")] },
    { role: "assistant", content: [text("The answer is")] },
  ]);
});

test("pictures come as addresses or as base64, string or object", () => {
  const turns = encodedTurns([
    {
      role: "user",
      content: [
        { type: "image_url", image_url: { url: "https://a.test/x.png", detail: "low" } },
        { type: "image_url", image_url: `data:image/jpg;base64,${PNG}`, cache_control: { type: "ephemeral" } },
      ],
    },
  ]);
  expect(turns).toEqual([
    {
      role: "user",
      content: [
        { type: "image", source: { type: "url", url: "https://a.test/x.png" } },
        {
          type: "image",
          source: { type: "base64", media_type: "image/jpeg", data: PNG },
          cache_control: { type: "ephemeral" },
        },
      ],
    },
  ]);
});

test("files become documents: PDFs, text, bare PDFs, stored ones; a picture stays a picture", () => {
  const file = (fields: object) => ({ type: "file", file: fields });
  const turns = encodedTurns([
    {
      role: "user",
      content: [
        file({ file_data: "data:application/pdf;base64,JVBERi0xLjQ=", filename: "a.pdf" }),
        file({ file_data: `data:text/markdown;charset=utf-8;base64,${Buffer.from("# Köln").toString("base64")}` }),
        file({ file_data: "data:text/plain,two%20words" }),
        file({ file_data: "JVBERi0xLjQ=" }),
        file({ file_id: "file_011" }),
        file({ file_data: `data:image/png;base64,${PNG}`, filename: "x.png" }),
      ],
    },
  ]);
  const pdf = { type: "base64", media_type: "application/pdf", data: "JVBERi0xLjQ=" };
  expect(turns).toEqual([
    {
      role: "user",
      content: [
        { type: "document", source: pdf, title: "a.pdf" },
        { type: "document", source: { type: "text", media_type: "text/plain", data: "# Köln" } },
        { type: "document", source: { type: "text", media_type: "text/plain", data: "two words" } },
        { type: "document", source: pdf },
        { type: "document", source: { type: "file", file_id: "file_011" } },
        { type: "image", source: { type: "base64", media_type: "image/png", data: PNG } },
      ],
    },
  ]);
});

test("blocks in Anthropic's own form pass", () => {
  const block = {
    type: "document",
    source: { type: "url", url: "https://a.test/x.pdf" },
    citations: { enabled: true },
  };
  expect(encodedTurns([{ role: "user", content: [block] }])).toEqual([{ role: "user", content: [block] }]);
});

test("a part that cannot be taken is refused with the field's name", () => {
  const parts = [
    { type: "input_audio", input_audio: { data: "", format: "wav" } },
    { type: "video_url" },
    { type: "image_url" },
    { type: "image_url", image_url: { url: "ftp://a.test/x" } },
    { type: "image_url", image_url: "data:image/svg+xml,<svg/>" },
    { type: "image_url", image_url: "data:image/tiff;base64,AAAA" },
    { type: "file" },
    { type: "file", file: { file_data: "hello" } },
    { type: "file", file: { file_data: "data:application/zip;base64,AAAA" } },
    { type: "file", file: { file_data: "data:text/plain;base64,////" } },
  ];
  for (const part of parts) {
    expect(refusal([{ role: "user", content: [part] }])).toEqual({ kind: "invalid_request", param: "messages" });
  }
});

test("parallel calls and their results: one turn each, results first, ids made fit alike", () => {
  const turns = encodedTurns([
    { role: "user", content: "Weather?" },
    {
      role: "assistant",
      content: "Looking.",
      tool_calls: [call("call:1", "get_weather", '{"city":"Paris"}'), call("call_2", "get_time", "")],
    },
    { role: "tool", tool_call_id: "call:1", content: "Sunny" },
    { role: "user", content: "Hurry" },
    { role: "tool", tool_call_id: "call_2", content: [text("late")], is_error: true },
  ]);
  expect(turns).toEqual([
    { role: "user", content: [text("Weather?")] },
    {
      role: "assistant",
      content: [
        text("Looking."),
        { type: "tool_use", id: "call_1", name: "get_weather", input: { city: "Paris" } },
        { type: "tool_use", id: "call_2", name: "get_time", input: {} },
      ],
    },
    {
      role: "user",
      content: [
        { type: "tool_result", tool_use_id: "call_1", content: [text("Sunny")] },
        { type: "tool_result", tool_use_id: "call_2", content: [text("late")], is_error: true },
        text("Hurry"),
      ],
    },
  ]);
});

test("the result of a tool may be empty or a picture, and its cache mark stands on the result", () => {
  const cache_control = { type: "ephemeral", ttl: "1h" };
  const picture = { type: "image_url", image_url: `data:image/png;base64,${PNG}`, cache_control };
  const turns = encodedTurns([
    { role: "user", content: "Go" },
    { role: "assistant", tool_calls: [call("a", "f", "{}"), call("b", "f", "{}")] },
    { role: "tool", tool_call_id: "a", content: "" },
    { role: "tool", tool_call_id: "b", content: [picture] },
  ]) as { content: unknown }[];
  expect(turns[2]?.content).toEqual([
    { type: "tool_result", tool_use_id: "a" },
    {
      type: "tool_result",
      tool_use_id: "b",
      content: [{ type: "image", source: { type: "base64", media_type: "image/png", data: PNG } }],
      cache_control,
    },
  ]);
});

test("arguments that are not a JSON object are brought back all the same", () => {
  const turns = encodedTurns([
    { role: "user", content: "Go" },
    { role: "assistant", tool_calls: [call("a", "f", '{"cut":'), call("b", "f", "[1]")] },
  ]) as { content: unknown }[];
  expect(turns[1]?.content).toEqual([
    { type: "tool_use", id: "a", name: "f", input: { value: '{"cut":' } },
    { type: "tool_use", id: "b", name: "f", input: { value: [1] } },
  ]);
});

test("calls and results of the older interface are paired", () => {
  const turns = encodedTurns([
    { role: "user", content: "Go" },
    { role: "assistant", content: null, function_call: { name: "f", arguments: '{"a":1}' } },
    { role: "function", name: "f", content: "one" },
    { role: "assistant", content: null, function_call: { name: "g", arguments: "{}" } },
    { role: "function", name: "g", content: "two" },
  ]);
  expect(turns).toEqual([
    { role: "user", content: [text("Go")] },
    { role: "assistant", content: [{ type: "tool_use", id: "function_1", name: "f", input: { a: 1 } }] },
    { role: "user", content: [{ type: "tool_result", tool_use_id: "function_1", content: [text("one")] }] },
    { role: "assistant", content: [{ type: "tool_use", id: "function_3", name: "g", input: {} }] },
    { role: "user", content: [{ type: "tool_result", tool_use_id: "function_3", content: [text("two")] }] },
  ]);
});

test("a result or a call without an id, and a call without a function, are refused", () => {
  const bad: Message[] = [
    { role: "tool", content: "x" },
    { role: "assistant", tool_calls: [{ ...call("", "f", "{}") }] },
    { role: "assistant", tool_calls: [{ id: "a", type: "custom" } as never] },
  ];
  for (const message of bad) {
    expect(refusal([message])).toEqual({ kind: "invalid_request", param: "messages" });
  }
});

test("signed thinking comes first and clean; unsigned thinking and mere reasoning text are left out", () => {
  const turns = encodedTurns([
    { role: "user", content: "Go" },
    {
      role: "assistant",
      content: [text("So."), { type: "thinking", thinking: "inner", signature: "s2" }],
      reasoning_content: "not signed",
      thinking_blocks: [
        { type: "thinking", thinking: "a", signature: "s1", index: 0 },
        { type: "thinking", thinking: "b" },
        { type: "redacted_thinking", data: "d" },
      ],
      tool_calls: [call("t", "f", "{}")],
      cache_control: { type: "ephemeral" },
    },
  ]) as { content: unknown }[];
  expect(turns[1]?.content).toEqual([
    { type: "thinking", thinking: "a", signature: "s1" },
    { type: "redacted_thinking", data: "d" },
    { type: "thinking", thinking: "inner", signature: "s2" },
    text("So."),
    { type: "tool_use", id: "t", name: "f", input: {}, cache_control: { type: "ephemeral" } },
  ]);
});
