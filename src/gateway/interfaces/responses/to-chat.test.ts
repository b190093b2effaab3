import { describe, expect, test } from "bun:test";
import type { ResponseRequest } from "../../../contract/responses.ts";
import { chatOf, itemsOf } from "./to-chat.ts";

const chat = (fields: object): Record<string, unknown> =>
  chatOf({ model: "m", input: "Hi", ...fields } as ResponseRequest, []) as unknown as Record<string, unknown>;
const said = (input: readonly object[], instructions?: string) => chat({ input, instructions }).messages;
const message = (role: string, content: unknown) => ({ type: "message", role, content });
const call = (call_id: string) => ({ type: "function_call", call_id, name: "f", arguments: "{}", id: "fc_1" });
const called = (id: string) => ({ id, type: "function", function: { name: "f", arguments: "{}" } });

describe("what was said", () => {
  test("is one message of the user where it is a text, after the instructions", () => {
    expect(chat({ instructions: "Be kind." }).messages).toEqual([
      { role: "system", content: "Be kind." },
      { role: "user", content: "Hi" },
    ]);
  });

  test("keeps its roles and its parts", () => {
    expect(
      said([
        { role: "developer", content: "d" },
        message("user", [
          { type: "input_text", text: "look" },
          { type: "input_image", image_url: "data:image/png;base64,AA==", detail: "low" },
          { type: "input_file", file_data: "data:text/plain;base64,AA==", filename: "a.txt" },
          { type: "input_audio", input_audio: { data: "AA==", format: "wav" } },
        ]),
        message("user", [{ type: "input_text", text: "alone" }]),
      ]),
    ).toEqual([
      { role: "developer", content: "d" },
      {
        role: "user",
        content: [
          { type: "text", text: "look" },
          { type: "image_url", image_url: { url: "data:image/png;base64,AA==", detail: "low" } },
          { type: "file", file: { file_data: "data:text/plain;base64,AA==", filename: "a.txt" } },
          { type: "input_audio", input_audio: { data: "AA==", format: "wav" } },
        ],
      },
      { role: "user", content: "alone" },
    ]);
  });

  test("by the model in one turn is one message: thoughts, words and calls", () => {
    const blocks = [{ type: "thinking", thinking: "hm", signature: "s" }];
    const thought = {
      type: "reasoning",
      id: "rs_1",
      summary: [{ type: "summary_text", text: "hm" }],
      encrypted_content: Buffer.from(JSON.stringify(blocks)).toString("base64url"),
    };
    expect(
      said([
        thought,
        message("assistant", [
          { type: "output_text", text: "Let me ", annotations: [] },
          { type: "output_text", text: "see." },
        ]),
        call("a"),
        call("b"),
        { type: "function_call_output", call_id: "a", output: "1" },
        { type: "function_call_output", call_id: "b", output: [{ type: "input_text", text: "2" }] },
        message("assistant", "Done."),
      ]),
    ).toEqual([
      {
        role: "assistant",
        content: "Let me see.",
        reasoning_content: "hm",
        thinking_blocks: blocks,
        tool_calls: [called("a"), called("b")],
      },
      { role: "tool", tool_call_id: "a", content: "1" },
      { role: "tool", tool_call_id: "b", content: "2" },
      { role: "assistant", content: "Done." },
    ]);
  });

  test("by a model that only thought and called has no words", () => {
    expect(said([{ type: "reasoning", summary: [{ type: "summary_text", text: "hm" }] }, call("a")])).toEqual([
      { role: "assistant", content: null, reasoning_content: "hm", tool_calls: [called("a")] },
    ]);
  });

  test("in reasoning that another provider has closed is left closed", () => {
    expect(
      said([{ type: "reasoning", summary: [], encrypted_content: "gAAAAA==" }, message("assistant", "x")]),
    ).toEqual([{ role: "assistant", content: "x" }]);
  });

  test("in a tool's text goes in the form of its call", () => {
    expect(said([{ type: "custom_tool_call", call_id: "c", name: "patch", input: 'say "x"' }])).toEqual([
      {
        role: "assistant",
        content: null,
        tool_calls: [{ id: "c", type: "function", function: { name: "patch", arguments: '{"input":"say \\"x\\""}' } }],
      },
    ]);
  });

  test("before comes first", () => {
    const request = { model: "m", input: "and now?" } as ResponseRequest;
    expect(chatOf(request, itemsOf("first")).messages).toEqual([
      { role: "user", content: "first" },
      { role: "user", content: "and now?" },
    ]);
  });
});

describe("how it is to be answered", () => {
  test("has the names that a chat has", () => {
    const { messages, ...fields } = chat({
      max_output_tokens: 7,
      reasoning: { effort: "low", summary: "auto" },
      text: { verbosity: "low", format: { type: "json_schema", name: "n", strict: true, schema: { type: "object" } } },
      temperature: 0,
      user: "u",
      metadata: { a: "b" },
      guardrails: ["g"],
      fallbacks: ["other"],
      include: ["reasoning.encrypted_content", "message.output_text.logprobs"],
      top_logprobs: 2,
      store: false,
      max_tool_calls: 3,
      stream: true,
      stream_options: { include_obfuscation: false },
    });
    expect(JSON.parse(JSON.stringify(fields))).toEqual({
      model: "m",
      max_completion_tokens: 7,
      reasoning_effort: "low",
      reasoning_summary: "auto",
      verbosity: "low",
      response_format: { type: "json_schema", json_schema: { name: "n", strict: true, schema: { type: "object" } } },
      temperature: 0,
      user: "u",
      metadata: { a: "b" },
      guardrails: ["g"],
      fallbacks: ["other"],
      logprobs: true,
      top_logprobs: 2,
      stream: true,
      stream_options: { include_usage: true },
    });
    expect(chat({ text: { format: { type: "text" } } })).not.toHaveProperty("response_format");
    expect(chat({ text: { format: { type: "json_object" } } }).response_format).toEqual({ type: "json_object" });
  });

  test("with tools", () => {
    const one = { type: "function", name: "one", parameters: { type: "object" }, strict: true };
    const two = { type: "function", name: "two" };
    const place = { type: "approximate", city: "Rome", country: "IT" };
    const { tools, tool_choice, web_search_options } = chat({
      tools: [one, two, { type: "web_search_preview", search_context_size: "low", user_location: place }],
      tool_choice: { type: "function", name: "one" },
    });
    expect(tools).toEqual([
      { type: "function", function: { name: "one", parameters: { type: "object" }, strict: true } },
      { type: "function", function: { name: "two" } },
    ]);
    expect(tool_choice).toEqual({ type: "function", function: { name: "one" } });
    expect(web_search_options).toEqual({
      search_context_size: "low",
      user_location: { type: "approximate", approximate: { city: "Rome", country: "IT" } },
    });
    const some = { type: "allowed_tools", mode: "required", tools: [{ type: "function", name: "two" }] };
    expect(chat({ tools: [one, two], tool_choice: some })).toMatchObject({
      tools: [{ function: { name: "two" } }],
      tool_choice: "required",
    });
  });

  test("by tools is left out where there are none to call", () => {
    const none = { tool_choice: "auto", parallel_tool_calls: true };
    for (const tools of [undefined, [], [{ type: "web_search" }]]) {
      expect(chat({ ...none, tools })).not.toContainAnyKeys(["tools", "tool_choice", "parallel_tool_calls"]);
    }
    const some = { tool_choice: "auto", parallel_tool_calls: false };
    expect(chat({ ...some, tools: [{ type: "function", name: "f" }] })).toMatchObject(some);
    expect(chat({ tool_choice: "required" })).toMatchObject({ tool_choice: "required" });
  });

  test("with a grammar says so in words", () => {
    const format = { type: "grammar", syntax: "lark", definition: 'start: "x"' };
    const { tools } = chat({ tools: [{ type: "custom", name: "c", description: "Does it.", format }] });
    expect(JSON.stringify(tools)).toContain('lark):\\nstart: \\"x\\"');
  });
});
