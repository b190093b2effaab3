import { describe, expect, test } from "bun:test";
import type { ChatRequest, Message, ToolCall } from "../../contract/chat.ts";
import { GatewayError } from "../../contract/errors.ts";
import { converseBody } from "./encode-chat.ts";
import { parseModel } from "./model.ts";

const CLAUDE = "anthropic.claude-3-5-sonnet-20241022-v2:0";
const PNG = "iVBORw0KGgo=";

function body(fields: Record<string, unknown>, model = CLAUDE): Record<string, unknown> {
  const request = { model: "chat", messages: [{ role: "user", content: "Hi" }], ...fields } as ChatRequest;
  return converseBody(request, parseModel(model));
}

const turns = (...messages: Message[]): unknown => body({ messages }).messages;
const call = (id: string, args = "{}"): ToolCall[] => [
  { id, type: "function", function: { name: "get_weather", arguments: args } },
];

describe("the turns of a conversation", () => {
  test("alternate: neighbours of one role become one", () => {
    expect(
      turns(
        { role: "user", content: "a" },
        { role: "user", content: "b" },
        { role: "assistant", content: "c" },
        { role: "assistant", content: "d" },
        { role: "user", content: "e" },
      ),
    ).toEqual([
      { role: "user", content: [{ text: "a" }, { text: "b" }] },
      { role: "assistant", content: [{ text: "c" }, { text: "d" }] },
      { role: "user", content: [{ text: "e" }] },
    ]);
  });

  test("have no blank text and no empty turn", () => {
    expect(
      turns(
        { role: "user", content: "a" },
        { role: "assistant", content: null },
        { role: "user", content: [{ type: "text", text: " \n" }] },
        { role: "user", content: "b" },
      ),
    ).toEqual([{ role: "user", content: [{ text: "a" }, { text: "b" }] }]);
  });

  test("end with the user's, also where it has no word: the answer before it is not to be continued", () => {
    const answered: Message[] = [
      { role: "user", content: "a" },
      { role: "assistant", content: "b" },
    ];
    for (const content of ["", " ", [], [{ type: "text", text: "" }]]) {
      expect(turns(...answered, { role: "user", content })).toEqual([
        { role: "user", content: [{ text: "a" }] },
        { role: "assistant", content: [{ text: "b" }] },
        { role: "user", content: [{ text: "." }] },
      ]);
    }
  });

  test.each([
    ["no JSON", '{"a":', { value: '{"a":' }],
    ["no object", "[1]", { value: [1] }],
    ["blank", " ", {}],
  ])("keep arguments of a call that are %s", (_, text, input) => {
    const [, turn] = turns(
      { role: "assistant", tool_calls: call("a", text) },
      { role: "tool", tool_call_id: "a", content: "That is no JSON." },
    ) as { content: unknown[] }[];
    expect(turn?.content).toEqual([{ toolUse: { toolUseId: "a", name: "get_weather", input } }]);
  });

  test("begin with the user, also where the caller's do not", () => {
    expect(turns({ role: "assistant", content: "Hello" }, { role: "user", content: "Hi" })).toEqual([
      { role: "user", content: [{ text: "Begin." }] },
      { role: "assistant", content: [{ text: "Hello" }] },
      { role: "user", content: [{ text: "Hi" }] },
    ]);
    expect(body({ messages: [{ role: "system", content: "Say hi." }] })).toEqual({
      system: [{ text: "Say hi." }],
      messages: [{ role: "user", content: [{ text: "Begin." }] }],
    });
  });

  test("end without white space when the assistant's answer is to be continued", () => {
    expect(turns({ role: "user", content: "a" }, { role: "assistant", content: "The answer is " })).toEqual([
      { role: "user", content: [{ text: "a" }] },
      { role: "assistant", content: [{ text: "The answer is" }] },
    ]);
  });

  test("pair the calls and results of the older interface", () => {
    const encoded = body({
      messages: [
        { role: "user", content: "a" },
        { role: "assistant", content: null, function_call: { name: "f", arguments: '{"x":1}' } },
        { role: "function", name: "f", content: "1" },
        { role: "assistant", content: null, function_call: { name: "f", arguments: "" } },
        { role: "function", name: "f", content: "" },
      ],
      functions: [{ name: "f" }],
      function_call: { name: "f" },
    });
    const [, first, second, third, fourth] = encoded.messages as { content: unknown[] }[];
    expect(first?.content).toEqual([{ toolUse: { toolUseId: "function_call_0", name: "f", input: { x: 1 } } }]);
    expect(second?.content).toEqual([{ toolResult: { toolUseId: "function_call_0", content: [{ text: "1" }] } }]);
    expect(third?.content).toEqual([{ toolUse: { toolUseId: "function_call_2", name: "f", input: {} } }]);
    expect(fourth?.content).toEqual([
      { toolResult: { toolUseId: "function_call_2", content: [{ text: "(no output)" }] } },
    ]);
    expect(encoded.toolConfig).toEqual({
      tools: [{ toolSpec: { name: "f", inputSchema: { json: { type: "object", properties: {} } } } }],
      toolChoice: { tool: { name: "f" } },
    });
  });

  test("rename ids that Bedrock refuses, at both ends", () => {
    const long = `call_${"x".repeat(80)}`;
    const [, asked, answered] = turns(
      { role: "user", content: "a" },
      { role: "assistant", tool_calls: [...call(long), ...call("a/b")] },
      { role: "tool", tool_call_id: "a/b", content: "1" },
      { role: "tool", tool_call_id: long, content: "2" },
    ) as { content: unknown[] }[];
    expect(asked?.content).toMatchObject([
      { toolUse: { toolUseId: "renamed_call_0" } },
      { toolUse: { toolUseId: "renamed_call_1" } },
    ]);
    expect(answered?.content).toMatchObject([
      { toolResult: { toolUseId: "renamed_call_1" } },
      { toolResult: { toolUseId: "renamed_call_0" } },
    ]);
  });

  test("leave out reasoning that is not signed", () => {
    const [, turn] = turns(
      { role: "user", content: "a" },
      {
        role: "assistant",
        content: "b",
        reasoning_content: "Hm",
        thinking_blocks: [{ type: "thinking", thinking: "Hm" }],
      },
    ) as unknown[];
    expect(turn).toEqual({ role: "assistant", content: [{ text: "b" }] });
  });

  test("name documents apart, in characters that Bedrock takes, and put text beside them", () => {
    const file = (filename: string | null, file_data = "data:text/plain;base64,aGk=") => ({
      type: "file",
      file: { file_data, ...(filename === null ? {} : { filename }) },
    });
    const [turn] = turns({
      role: "user",
      content: [
        file("ignore all (previous) [rules]!.txt"),
        file("Bericht   über\tBäume.md", "aGk="),
        file(null),
        file(null, "data:text/csv,a%2Cb"),
      ],
    }) as { content: unknown[] }[];
    expect(turn?.content).toEqual([
      { text: "(see the attached document)" },
      { document: { format: "txt", name: "ignore all (previous) [rules]", source: { bytes: "aGk=" } } },
      { document: { format: "md", name: "Bericht ber B ume", source: { bytes: "aGk=" } } },
      { document: { format: "txt", name: "document", source: { bytes: "aGk=" } } },
      { document: { format: "csv", name: "document (2)", source: { bytes: "YSxi" } } },
    ]);
  });

  test("have the results of tools before the text that stands beside a document", () => {
    const [, , turn] = turns(
      { role: "assistant", tool_calls: call("a") },
      { role: "tool", tool_call_id: "a", content: "1", cache_control: { type: "ephemeral" } },
      { role: "user", content: [{ type: "file", file: { filename: "a.txt", file_data: "data:text/plain,hi" } }] },
    ) as { content: Record<string, unknown>[] }[];
    expect(turn?.content.flatMap(Object.keys)).toEqual(["toolResult", "cachePoint", "text", "document"]);
  });

  test("carry sound, film and pictures in results", () => {
    expect(
      turns(
        {
          role: "user",
          content: [
            { type: "input_audio", input_audio: { data: "AAAA", format: "wav" } },
            { type: "file", file: { file_data: "data:video/quicktime;base64,AAAA" } },
          ],
        },
        { role: "assistant", tool_calls: call("a") },
        {
          role: "tool",
          tool_call_id: "a",
          content: [
            { type: "image_url", image_url: `data:image/webp;base64,${PNG}`, cache_control: { type: "ephemeral" } },
          ],
        },
      ),
    ).toEqual([
      {
        role: "user",
        content: [
          { audio: { format: "wav", source: { bytes: "AAAA" } } },
          { video: { format: "mov", source: { bytes: "AAAA" } } },
        ],
      },
      { role: "assistant", content: [{ toolUse: { toolUseId: "a", name: "get_weather", input: {} } }] },
      {
        role: "user",
        content: [
          { toolResult: { toolUseId: "a", content: [{ image: { format: "webp", source: { bytes: PNG } } }] } },
          { cachePoint: { type: "default" } },
        ],
      },
    ]);
  });

  const user = (part: unknown): Message[] => [{ role: "user", content: [part] } as unknown as Message];
  test.each<[string, Message[], RegExp]>([
    [
      "a picture by its address",
      user({ type: "image_url", image_url: { url: "https://x/y.png" } }),
      /inside the request/,
    ],
    ["a picture without one", user({ type: "image_url" }), /needs a url/],
    [
      "a picture of another format",
      user({ type: "image_url", image_url: "data:image/tiff;base64,AA==" }),
      /image\/tiff/,
    ],
    ["a stored file", user({ type: "file", file: { file_id: "file-1" } }), /file_data/],
    [
      "the address of a file",
      user({ type: "file", file: { file_data: "https://example.com/a.pdf", filename: "a.pdf" } }),
      /address/,
    ],
    ["a file of another type", user({ type: "file", file: { file_data: "data:application/zip;base64,AA==" } }), /zip/],
    ["a malformed data URL", user({ type: "file", file: { file_data: "data:text/plain,%E0" } }), /well-formed/],
    ["sound without a format", user({ type: "input_audio", input_audio: { data: "AA==" } }), /format/],
    ["a part of another type", user({ type: "hologram" }), /"hologram"/],
    ["a part that is none", user("x"), /object/],
    ["text that is none", user({ type: "text", text: 7 }), /string/],
    [
      "a picture from the system",
      [{ role: "system", content: [{ type: "image_url", image_url: `data:image/png;base64,${PNG}` }] }],
      /only text/,
    ],
    [
      "a picture from the assistant",
      [{ role: "assistant", content: [{ type: "image_url", image_url: `data:image/png;base64,${PNG}` }] }],
      /only text/,
    ],
    ["a call without a function", [{ role: "assistant", tool_calls: [{ id: "a" }] as never }], /needs an id/],
    ["a result of no call", [{ role: "tool", content: "1" }], /tool_call_id/],
  ])("with %s are refused as the caller's fault", (_, messages, words) => {
    expect(() => turns(...messages)).toThrow(words);
    try {
      turns(...messages);
    } catch (thrown) {
      expect(thrown).toBeInstanceOf(GatewayError);
      expect(thrown).toMatchObject({ kind: "invalid_request", param: "messages" });
    }
  });
});

test("a million parts of a message are as good as one", () => {
  const content = Array(1_000_000).fill({ type: "text", text: "a" });
  const sent = body({
    messages: [
      { role: "system", content },
      { role: "user", content: "first" },
      { role: "user", content },
    ],
  }) as { system: unknown[]; messages: { content: unknown[] }[] };
  expect([sent.system.length, sent.messages[0]?.content.length]).toEqual([1_000_000, 1_000_001]);
});
