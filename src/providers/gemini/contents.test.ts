import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { always, TRIPPING } from "../../../test/upstreams/hostile.ts";
import { GatewayError } from "../../contract/errors.ts";
import { gemini } from "./provider.ts";
import { bodyOf, chat, target } from "./test-gemini.ts";

const contents = (messages: unknown[], upstreamModel = "gemini-2.5-flash") => {
  if (!gemini.chat) throw new Error("no chat");
  return bodyOf(gemini.chat.encode(chat({ messages }), target({ upstreamModel }))).contents;
};
const call = (id: string, name: string, args: object, more: object = {}) => ({
  id,
  type: "function",
  function: { name, arguments: JSON.stringify(args) },
  ...more,
});

describe("messages", () => {
  test("of instructions alone become the user's", () => {
    expect(contents([{ role: "system", content: "Say hi" }])).toEqual([{ role: "user", parts: [{ text: "Say hi" }] }]);
  });

  test("without content are left out, or blank where a turn is needed", () => {
    expect(
      contents([
        { role: "user", content: "" },
        { role: "assistant", content: "" },
      ]),
    ).toEqual([{ role: "user", parts: [{ text: " " }] }]);
  });

  test("of parallel results stand in one turn, in the order of the calls", () => {
    const messages = [
      { role: "user", content: "Go" },
      { role: "assistant", tool_calls: [call("c1", "f", { a: 1 }), call("c2", "f", { a: 2 }), call("c3", "g", {})] },
      { role: "tool", tool_call_id: "c3", content: '{"ok": true}' },
      { role: "tool", tool_call_id: "c2", content: [{ type: "text", text: "two" }] },
      { role: "tool", tool_call_id: "c1", content: "one" },
    ];
    expect((contents(messages) as unknown[])[2]).toEqual({
      role: "user",
      parts: [
        { functionResponse: { name: "f", response: { output: "one" } } },
        { functionResponse: { name: "f", response: { output: "two" } } },
        { functionResponse: { name: "g", response: { ok: true } } },
      ],
    });
  });

  test("carry ids and pictures in results where the model knows them", () => {
    const messages = [
      { role: "user", content: "Go" },
      { role: "assistant", tool_calls: [call("c1", "shot", {})] },
      {
        role: "tool",
        tool_call_id: "c1",
        content: [
          { type: "text", text: "done" },
          { type: "image_url", image_url: "data:image/png;base64,AA" },
        ],
      },
    ];
    const picture = { inlineData: { mimeType: "image/png", data: "AA" } };
    expect((contents(messages, "gemini-3-flash") as unknown[]).slice(1)).toEqual([
      {
        role: "model",
        parts: [
          {
            functionCall: { id: "c1", name: "shot", args: {} },
            thoughtSignature: "skip_thought_signature_validator",
          },
        ],
      },
      {
        role: "user",
        parts: [{ functionResponse: { id: "c1", name: "shot", response: { output: "done" }, parts: [picture] } }],
      },
    ]);
    expect((contents(messages, "gemini-2.5-flash") as unknown[])[2]).toEqual({
      role: "user",
      parts: [{ functionResponse: { name: "shot", response: { output: "done" } } }, picture],
    });
  });

  test("of the older interface are calls and results too", () => {
    const messages = [
      { role: "user", content: "Go" },
      { role: "assistant", content: null, function_call: { name: "f", arguments: '{"a":1}' } },
      { role: "function", name: "f", content: "1" },
    ];
    expect((contents(messages) as unknown[]).slice(1)).toEqual([
      { role: "model", parts: [{ functionCall: { name: "f", args: { a: 1 } } }] },
      { role: "user", parts: [{ functionResponse: { name: "f", response: { output: "1" } } }] },
    ]);
  });

  test("bring the seals of reasoning back to the parts that had them", () => {
    const messages = [
      { role: "user", content: "Go" },
      {
        role: "assistant",
        content: "Looking.",
        reasoning_content: "Hm.",
        provider_specific_fields: { thought_signatures: ["T"] },
        tool_calls: [
          call("c1", "f", {}, { provider_specific_fields: { thought_signature: "A" } }),
          call("c2", "f", {}, { extra_content: { google: { thought_signature: "B" } } }),
        ],
      },
    ];
    expect((contents(messages, "gemini-3-pro") as unknown[])[1]).toEqual({
      role: "model",
      parts: [
        { text: "Looking.", thoughtSignature: "T" },
        { functionCall: { id: "c1", name: "f", args: {} }, thoughtSignature: "A" },
        { functionCall: { id: "c2", name: "f", args: {} }, thoughtSignature: "B" },
      ],
    });
  });

  test("of an assistant leave out thoughts that another provider's answer had among its parts", () => {
    const thoughts = [
      { type: "thinking", thinking: "Hm.", signature: "c2ln" },
      { type: "redacted_thinking", data: "cmVk" },
    ];
    expect(contents([{ role: "assistant", content: [...thoughts, { type: "text", text: "Hi" }] }])).toEqual([
      { role: "model", parts: [{ text: "Hi" }] },
    ]);
  });

  test("bring back the pictures that a model has drawn", () => {
    const image = { type: "image_url", image_url: { url: "data:image/png;base64,AA" }, index: 0 };
    const sealed = { ...image, provider_specific_fields: { thought_signature: "S" } };
    expect((contents([{ role: "assistant", content: "Here.", images: [sealed] }]) as unknown[])[0]).toEqual({
      role: "model",
      parts: [{ text: "Here." }, { inlineData: { mimeType: "image/png", data: "AA" }, thoughtSignature: "S" }],
    });
  });

  test("with broken arguments go on, as the model wrote them", () => {
    const broken = { id: "c1", type: "function", function: { name: "f", arguments: '{"a":' } };
    expect((contents([{ role: "assistant", tool_calls: [broken] }]) as unknown[])[0]).toEqual({
      role: "model",
      parts: [{ functionCall: { name: "f", args: { arguments: '{"a":' } } }],
    });
  });

  test("name the type of a picture as Google does", () => {
    const picture = { type: "image_url", image_url: { url: "data:image/jpg;base64,AAAA" } };
    expect(contents([{ role: "user", content: [picture] }])).toEqual([
      { role: "user", parts: [{ inlineData: { mimeType: "image/jpeg", data: "AAAA" } }] },
    ]);
  });

  test("keep long numbers of a result", () => {
    const messages = [
      { role: "assistant", tool_calls: [call("c1", "f", {})] },
      { role: "tool", tool_call_id: "c1", content: '{"id":12345678901234567890}' },
    ];
    expect((contents(messages) as unknown[])[1]).toEqual({
      role: "user",
      parts: [{ functionResponse: { name: "f", response: { output: '{"id":12345678901234567890}' } } }],
    });
  });

  test.each([
    [
      { type: "image_url", image_url: { url: "gs://b/cat.png" } },
      { fileUri: "gs://b/cat.png", mimeType: "image/png" },
    ],
    [
      { type: "image_url", image_url: { url: "gs://b/cat", format: "image/webp" } },
      { fileUri: "gs://b/cat", mimeType: "image/webp" },
    ],
    [
      { type: "file", file: { file_id: "https://generativelanguage.googleapis.com/v1beta/files/x" } },
      { fileUri: "https://generativelanguage.googleapis.com/v1beta/files/x" },
    ],
    [
      { type: "file", file: { file_id: "files/x", format: "application/pdf" } },
      { fileUri: "https://generativelanguage.googleapis.com/v1beta/files/x", mimeType: "application/pdf" },
    ],
  ])("name files that Google fetches itself: %j", (part, fileData) => {
    expect(contents([{ role: "user", content: [part] }])).toEqual([{ role: "user", parts: [{ fileData }] }]);
  });

  test.each([
    [{ role: "user", content: [{ type: "hologram" }] }],
    [{ role: "user", content: [{ type: "text" }] }],
    [{ role: "user", content: [{ type: "image_url", image_url: { url: "ftp://x" } }] }],
    [{ role: "user", content: [{ type: "image_url", image_url: { url: "gs://b/cat" } }] }],
    [{ role: "user", content: [{ type: "file", file: { file_id: "file-abc" } }] }],
    [{ role: "system", content: [{ type: "image_url", image_url: "data:image/png;base64,AA" }] }],
    [{ role: "tool", tool_call_id: "nobody", content: "x" }],
  ])("that Google cannot take are the caller's fault: %j", (message) => {
    try {
      contents([message]);
    } catch (error) {
      expect(error).toBeInstanceOf(GatewayError);
      expect(error).toMatchObject({ kind: "invalid_request", param: "messages" });
      return;
    }
    throw new Error("nothing was thrown");
  });

  test("of any form never cause another exception", () => {
    const part = fc.record(
      { type: fc.constantFrom("text", "image_url", "input_audio", "file", "x") },
      { noNullPrototype: true },
    );
    const messages = fc.array(
      fc.record({
        role: fc.constantFrom("user", "assistant", "tool", "system", "function", "developer"),
        content: fc.oneof(
          fc.string(),
          fc.constant(null),
          fc.array(fc.oneof(part, fc.dictionary(fc.string(), fc.jsonValue()))),
        ),
        tool_calls: fc.array(fc.oneof(fc.jsonValue(), fc.record({ function: fc.jsonValue() }))),
      }),
      { minLength: 1 },
    );
    fc.assert(
      fc.property(fc.tuple(messages, fc.constantFrom("gemini-3-pro", "gemini-2.0-flash")), ([given, model]) => {
        try {
          contents(given, model);
        } catch (error) {
          if (!(error instanceof GatewayError)) throw error;
        }
      }),
      always(
        TRIPPING.map((type) => [[{ role: "user", content: [{ type }], tool_calls: [type] }], "gemini-3-pro"] as never),
      ),
    );
  });
});
