import { describe, expect, test } from "bun:test";
import type { ChatChunk } from "../../../contract/chat.ts";
import { GatewayError } from "../../../contract/errors.ts";
import { eventsOf } from "../../../lib/sse.ts";
import { asEvents, asList, GeneratedEvents } from "./generated-events.ts";
import { readSealed } from "./thought-signature.ts";
import { toGenerated } from "./to-generated.ts";

type Fields = Record<string, unknown>;

const answer = (message: object, more: object = {}) => ({
  id: "chatcmpl-7",
  model: "m",
  choices: [{ index: 0, message: { role: "assistant", ...message }, finish_reason: "stop", ...more }],
});
const candidate = (message: object, more: object = {}, isShown = false): Fields =>
  (toGenerated(answer(message, more), isShown) as { candidates: Fields[] }).candidates[0] ?? {};
const partsOf = (message: object, isShown = false): Fields[] =>
  (candidate(message, {}, isShown).content as { parts: Fields[] }).parts;

describe("a chat's answer in Google's form", () => {
  test("tells its names and its tokens", () => {
    const usage = {
      prompt_tokens: 10,
      completion_tokens: 8,
      total_tokens: 18,
      prompt_tokens_details: { cached_tokens: 3 },
      completion_tokens_details: { reasoning_tokens: 5 },
    };
    expect(toGenerated({ ...answer({ content: "a" }), usage }, false)).toEqual({
      candidates: [{ content: { parts: [{ text: "a" }], role: "model" }, finishReason: "STOP", index: 0 }],
      usageMetadata: {
        promptTokenCount: 10,
        candidatesTokenCount: 3,
        totalTokenCount: 18,
        thoughtsTokenCount: 5,
        cachedContentTokenCount: 3,
      },
      modelVersion: "m",
      responseId: "7",
    });
  });

  test.each([
    ["stop", "STOP"],
    ["length", "MAX_TOKENS"],
    ["tool_calls", "STOP"],
    ["content_filter", "SAFETY"],
    [null, "STOP"],
  ])("that ended with %p ended with %s", (finish_reason, reason) => {
    expect(candidate({}, { finish_reason }).finishReason).toBe(reason);
  });

  test("has the reason of Google's own model where there is one", () => {
    expect(candidate({}, { finish_reason: "content_filter", google_finish_reason: "RECITATION" }).finishReason).toBe(
      "RECITATION",
    );
  });

  test.each<[string, object, object[]]>([
    ["a refusal", { refusal: "No." }, [{ text: "No." }]],
    [
      "texts in parts",
      {
        content: [
          { type: "text", text: "a" },
          { type: "text", text: "b" },
        ],
      },
      [{ text: "ab" }],
    ],
    [
      "a call whose arguments are no JSON",
      { tool_calls: [{ id: "x", function: { name: "f", arguments: "{a" } }] },
      [{ functionCall: { id: "x", name: "f", args: { INVALID_JSON: "{a" } } }],
    ],
    [
      "a picture",
      { images: [{ image_url: { url: "data:image/png;base64,AA" } }] },
      [{ inlineData: { mimeType: "image/png", data: "AA" } }],
    ],
    ["nothing that can be read", { content: 7, tool_calls: "x", images: [{}] }, []],
  ])("has %s", (_, message, parts) => {
    expect(partsOf(message)).toEqual(parts as Fields[]);
  });

  test("shows thoughts only where they are wanted", () => {
    const message = { reasoning_content: "Hm.", content: "a" };
    expect(partsOf(message)).toEqual([{ text: "a" }]);
    expect(partsOf(message, true)).toEqual([{ text: "Hm.", thought: true }, { text: "a" }]);
  });

  test("carries what others have sealed on its first call, or on its text", () => {
    const thinking_blocks = [{ type: "thinking", thinking: "Hm.", signature: "s" }];
    const tool_calls = ["x", "y"].map((id) => ({ id, function: { name: "f", arguments: "{}" } }));
    const [text, first, second] = partsOf({ content: "a", thinking_blocks, tool_calls });
    expect([text, second].map((part) => part?.thoughtSignature)).toEqual([undefined, undefined]);
    expect(readSealed(String(first?.thoughtSignature))).toEqual({ blocks: thinking_blocks, items: [] });
    const [alone] = partsOf({ content: "a", thinking_blocks });
    expect(readSealed(String(alone?.thoughtSignature))?.blocks).toEqual(thinking_blocks);
  });

  test("tells its sources and how likely its tokens were", () => {
    const logprobs = { content: [{ token: "a", logprob: -1, top_logprobs: [{ token: "b", logprob: -2 }] }] };
    const provider_specific_fields = { grounding_metadata: { webSearchQueries: ["q"] } };
    expect(candidate({ content: "a", provider_specific_fields }, { logprobs })).toMatchObject({
      groundingMetadata: { webSearchQueries: ["q"] },
      logprobsResult: {
        chosenCandidates: [{ token: "a", logProbability: -1 }],
        topCandidates: [{ candidates: [{ token: "b", logProbability: -2 }] }],
      },
    });
  });
});

const chunk = (delta: object, finish_reason: string | null = null, more: object = {}) =>
  ({ id: "chatcmpl-7", model: "m", choices: [{ index: 0, delta, finish_reason }], ...more }) as unknown as ChatChunk;

describe("a stream", () => {
  /** The upstream counts by itself. */
  const COUNTED = { estimate: null };
  const CALLS = [
    chunk({ role: "assistant", content: "" }),
    chunk({ content: "a" }),
    chunk({ tool_calls: [{ index: 0, id: "x", function: { name: "f", arguments: '{"a"' } }] }),
    chunk({ tool_calls: [{ index: 1, id: "y", function: { name: "g", arguments: "" } }] }),
    chunk({ tool_calls: [{ index: 0, function: { arguments: ":1}" } }] }),
    chunk({}, "tool_calls"),
    { ...chunk({}), choices: [], usage: { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 } } as ChatChunk,
  ];

  test("gives texts as they come, and calls in one piece with the end", () => {
    const events = new GeneratedEvents(asEvents(), false, COUNTED);
    const told = CALLS.map((one) => events.take(one));
    expect(told.map((text) => text !== "")).toEqual([false, true, false, false, false, false, false]);
    const [last] = eventsOf(events.end()).map(({ data }) => JSON.parse(data));
    expect(last).toEqual({
      candidates: [
        {
          content: {
            parts: [
              { functionCall: { id: "x", name: "f", args: { a: 1 } } },
              { functionCall: { id: "y", name: "g", args: {} } },
            ],
            role: "model",
          },
          finishReason: "STOP",
          index: 0,
        },
      ],
      usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 2, totalTokenCount: 3 },
      modelVersion: "m",
      responseId: "7",
    });
  });

  test("is one list of JSON however it ends", () => {
    const whole = new GeneratedEvents(asList(), false, COUNTED);
    const text = whole.begin() + CALLS.map((one) => whole.take(one)).join("") + whole.end();
    expect(JSON.parse(text)).toHaveLength(2);
    const broken = new GeneratedEvents(asList(), false, COUNTED);
    const error = new GatewayError("upstream", "It broke.");
    expect(JSON.parse(broken.take(chunk({ content: "a" })) + broken.fail(error))).toEqual([
      expect.objectContaining({ candidates: [expect.anything()] }),
      { error: { code: 502, message: "It broke.", status: "INTERNAL" } },
    ]);
    expect(JSON.parse(new GeneratedEvents(asList(), false, COUNTED).fail(error))).toHaveLength(1);
  });
});
