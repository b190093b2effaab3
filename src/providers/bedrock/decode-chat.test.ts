import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import fc from "fast-check";
import { always, spoiled, tripped } from "../../../test/upstreams/hostile.ts";
import { joinChunks } from "../../../test/upstreams/join-chunks.ts";
import type { ChatAnswer, ChatChunk, ChatRequest } from "../../contract/chat.ts";
import { GatewayError } from "../../contract/errors.ts";
import type { StreamEvent } from "../dialect.ts";
import { decodeChat } from "./decode-chat.ts";
import { StreamDecoder } from "./stream.ts";

const facts = { id: "chatcmpl-1", createdSeconds: 1_700_000_000, model: "chat" };
const plain: ChatRequest = { model: "chat", messages: [{ role: "user", content: "Hi" }] };
const schema: ChatRequest = {
  ...plain,
  response_format: { type: "json_schema", json_schema: { schema: { type: "object" } } },
};
const older: ChatRequest = { ...plain, functions: [{ name: "get_weather" }] };

const fixture = (name: string) => Bun.file(join(import.meta.dir, "fixtures", name));
const readPlain = async (name: string): Promise<unknown> => fixture(`${name}.json`).json();

async function readEvents(name: string): Promise<StreamEvent[]> {
  const lines = (await fixture(`${name}.stream.jsonl`).text()).trim().split("\n");
  return lines.map((line) => {
    const { event, payload } = JSON.parse(line) as { event: string; payload: object };
    return { name: event, data: JSON.stringify(payload) };
  });
}

function decodeEvents(events: readonly StreamEvent[], request = plain): ChatChunk[] {
  const decoder = new StreamDecoder(request, facts);
  return [...events.flatMap((event) => decoder.push(event)), ...decoder.end()];
}

const event = (name: string, payload: unknown): StreamEvent => ({ name, data: JSON.stringify(payload) });

const answered = (content: unknown, stopReason: unknown = "end_turn"): ChatAnswer =>
  decodeChat({ output: { message: { role: "assistant", content } }, stopReason }, plain, facts);

describe("an answer", () => {
  test("of text has its text and all of its tokens, the cache's included", async () => {
    expect(decodeChat(await readPlain("text"), plain, facts)).toEqual({
      id: "chatcmpl-1",
      object: "chat.completion",
      created: 1_700_000_000,
      model: "chat",
      choices: [
        {
          index: 0,
          message: { role: "assistant", content: "Amazon Bedrock serves models of several makers. Grüße!" },
          finish_reason: "stop",
        },
      ],
      usage: {
        prompt_tokens: 941,
        completion_tokens: 14,
        total_tokens: 955,
        prompt_tokens_details: { cached_tokens: 800, cache_creation_tokens: 120 },
        cache_read_input_tokens: 800,
        cache_creation_input_tokens: 120,
      },
    });
  });

  test("with calls has them with their arguments as JSON text", async () => {
    const [choice] = decodeChat(await readPlain("parallel-tools"), plain, facts).choices;
    expect(choice).toEqual({
      index: 0,
      message: {
        role: "assistant",
        content: null,
        tool_calls: [
          { id: "tooluse_a1", type: "function", function: { name: "get_weather", arguments: '{"city":"Paris"}' } },
          { id: "tooluse_b2", type: "function", function: { name: "get_time", arguments: "{}" } },
          { id: "tooluse_c3", type: "function", function: { name: "get_weather", arguments: '{"city":"Łódź"}' } },
        ],
      },
      finish_reason: "tool_calls",
    });
  });

  test("with reasoning has its text, and its signed block to bring back", async () => {
    const [choice] = decodeChat(await readPlain("reasoning"), plain, facts).choices;
    const thinking = "27 times 453 is 27 times 450 plus 81, so 12231.";
    expect(choice?.message).toEqual({
      role: "assistant",
      content: "12,231",
      reasoning_content: thinking,
      thinking_blocks: [{ type: "thinking", thinking, signature: "EqQBCkgIBBABGAIiQK3f9zX0c1pS" }],
    });
    const redacted = answered([{ reasoningContent: { redactedContent: "cmVk" } }, { text: "a" }]);
    expect(redacted.choices[0]?.message.thinking_blocks).toEqual([{ type: "redacted_thinking", data: "cmVk" }]);
  });

  test("handed over by the JSON tool is content again, and no call", async () => {
    const [choice] = decodeChat(await readPlain("json-answer"), schema, facts).choices;
    expect(choice).toEqual({
      index: 0,
      message: { role: "assistant", content: '{"name":"Ada","year":1815}' },
      finish_reason: "stop",
    });
  });

  test("to a request of the older interface has a function_call", async () => {
    const [choice] = decodeChat(await readPlain("tools"), older, facts).choices;
    expect(choice?.message).toEqual({
      role: "assistant",
      content: "I'll look at the weather.",
      function_call: { name: "get_weather", arguments: '{"city":"Paris","days":3}' },
    });
    expect(choice?.finish_reason).toBe("function_call");
  });

  test.each([
    ["end_turn", "stop"],
    ["stop_sequence", "stop"],
    ["max_tokens", "length"],
    ["model_context_window_exceeded", "length"],
    ["guardrail_intervened", "content_filter"],
    ["content_filtered", "content_filter"],
    ["something_new", "stop"],
  ])("that ended by %s has the finish reason %s", (stopReason, finish) => {
    expect(answered([{ text: "a" }], stopReason).choices[0]?.finish_reason as string).toBe(finish);
  });

  test("that the model malformed is the upstream's fault", () => {
    expect(() => answered([{ text: "a" }], "malformed_tool_use")).toThrow(GatewayError);
  });

  test("leaves out a call of the tool that only stands in, and blocks that are new to us", () => {
    const content = [
      { toolUse: { toolUseId: "a", name: "gateway_no_tool", input: {} } },
      { hologram: {} },
      { citationsContent: { content: [{ text: "cited" }], citations: [] } },
    ];
    expect(answered(content, "tool_use").choices[0]).toEqual({
      index: 0,
      message: { role: "assistant", content: "cited" },
      finish_reason: "stop",
    });
  });

  test("with absurd numbers counts none", () => {
    const usage = { inputTokens: -5, outputTokens: 1e300, cacheReadInputTokens: "7", cacheWriteInputTokens: null };
    const body = { output: { message: { content: [] } }, stopReason: "end_turn", usage };
    expect(decodeChat(body, plain, facts).usage).toMatchObject({
      prompt_tokens: 0,
      completion_tokens: 0,
      total_tokens: 0,
    });
  });

  test.each([
    [null],
    [[]],
    [{}],
    ["text"],
    [{ output: {} }],
    [{ output: { message: { content: "x" } }, stopReason: "end_turn" }],
    [{ output: { message: { content: [7] } }, stopReason: "end_turn" }],
    [{ output: { message: { content: [{ toolUse: {} }] } }, stopReason: "tool_use" }],
    [{ output: { message: { content: [{ text: "a" }] } } }],
  ])("that is not one (%j) is the upstream's fault", (body) => {
    expect(() => decodeChat(body, plain, facts)).toThrow("Amazon Bedrock's answer");
    try {
      decodeChat(body, plain, facts);
    } catch (thrown) {
      expect(thrown).toMatchObject({ kind: "upstream" });
    }
  });
});

const PAIRS: [string, ChatRequest][] = [
  ["text", plain],
  ["tools", plain],
  ["parallel-tools", plain],
  ["reasoning", plain],
  ["json-answer", schema],
  ["guardrail", plain],
];

describe("a stream", () => {
  test.each(PAIRS)("of %s adds up to the plain answer", async (name, request) => {
    const chunks = decodeEvents(await readEvents(name), request);
    expect(joinChunks(chunks)).toEqual(decodeChat(await readPlain(name), request, facts));
    expect(chunks[0]?.choices[0]?.delta).toEqual({ role: "assistant" });
  });

  test("of the older interface adds up to one function_call", async () => {
    const chunks = decodeEvents(await readEvents("tools"), older);
    const pieces = chunks.flatMap(({ choices }) => choices[0]?.delta.function_call ?? []) as {
      name?: string;
      arguments: string;
    }[];
    expect(pieces[0]).toEqual({ name: "get_weather", arguments: "" });
    expect(pieces.map((piece) => piece.arguments).join("")).toBe('{"city":"Paris","days":3}');
    expect(chunks.at(-2)?.choices[0]?.finish_reason).toBe("function_call");
  });

  test("of JSON that a model writes as text passes as it comes", () => {
    const chunks = decodeEvents(
      [
        event("messageStart", { role: "assistant" }),
        event("contentBlockDelta", { contentBlockIndex: 0, delta: { text: " \n" } }),
        event("contentBlockDelta", { contentBlockIndex: 0, delta: { text: '{"a":' } }),
        event("contentBlockDelta", { contentBlockIndex: 0, delta: { text: "1}" } }),
        event("messageStop", { stopReason: "end_turn" }),
      ],
      schema,
    );
    expect(chunks.map(({ choices }) => choices[0]?.delta)).toEqual([
      { role: "assistant" },
      { content: ' \n{"a":' },
      { content: "1}" },
      {},
    ]);
  });

  test("of prose where JSON was asked for still arrives, at the end", () => {
    const chunks = decodeEvents(
      [
        event("contentBlockDelta", { contentBlockIndex: 0, delta: { text: "I " } }),
        event("contentBlockDelta", { contentBlockIndex: 0, delta: { text: "cannot." } }),
        event("messageStop", { stopReason: "end_turn" }),
      ],
      schema,
    );
    expect(joinChunks(chunks).choices[0]?.message.content).toBe("I cannot.");
  });

  test("passes over events and deltas that are new to us", async () => {
    const [first, ...rest] = await readEvents("text");
    if (first === undefined) throw new Error("empty fixture");
    const odd = [
      event("somethingNew", { a: 1 }),
      { name: null, data: "not even JSON" },
      event("contentBlockStart", { contentBlockIndex: 0, start: { hologram: {} } }),
      event("contentBlockDelta", { contentBlockIndex: 0, delta: { citation: {} } }),
    ];
    expect(joinChunks(decodeEvents([first, ...odd, ...rest]))).toEqual(
      decodeChat(await readPlain("text"), plain, facts),
    );
  });

  test.each(PAIRS)("of %s that ends before its messageStop broke off", async (name, request) => {
    const events = await readEvents(name);
    const stop = events.findIndex((one) => one.name === "messageStop");
    for (let length = 0; length <= stop; length++) {
      expect(() => decodeEvents(events.slice(0, length), request)).toThrow("Amazon Bedrock's stream broke off.");
    }
    expect(decodeEvents(events.slice(0, stop + 1), request).at(-1)?.choices[0]?.finish_reason).toBeString();
  });

  test.each([
    ["throttlingException", "rate_limit"],
    ["validationException", "invalid_request"],
    ["modelStreamErrorException", "upstream"],
    ["internalServerException", "upstream"],
    ["serviceUnavailableException", "upstream_unavailable"],
  ])("with %s in it throws %s", (type, kind) => {
    const decoder = new StreamDecoder(plain, facts);
    decoder.push(event("messageStart", { role: "assistant" }));
    try {
      decoder.push(event(`exception:${type}`, { message: "It broke" }));
      throw new Error("not thrown");
    } catch (thrown) {
      expect(thrown).toMatchObject({ kind, message: "Amazon Bedrock: It broke" });
    }
  });
});

describe("a hostile upstream", () => {
  const isUpstreamFault = (attempt: () => unknown): void => {
    try {
      attempt();
    } catch (thrown) {
      expect(thrown).toBeInstanceOf(GatewayError);
      expect(thrown).toMatchObject({ kind: "upstream" });
    }
  };

  test("never makes decoding throw anything but the upstream's fault", async () => {
    const answers = await Promise.all(PAIRS.map(async ([name, request]) => [await readPlain(name), request] as const));
    for (const [answer, request] of answers) {
      fc.assert(
        fc.property(fc.oneof(fc.anything(), spoiled(answer)), (body) => {
          isUpstreamFault(() => decodeChat(body, request, facts));
        }),
        always(tripped(answer)),
      );
    }
  });

  test("never makes a stream throw anything but the upstream's fault", async () => {
    for (const [name, request] of PAIRS) {
      const payloads = (await readEvents(name)).map((one) => ({
        name: one.name,
        payload: JSON.parse(one.data) as unknown,
      }));
      fc.assert(
        fc.property(
          fc.tuple(spoiled(payloads), fc.array(fc.nat({ max: payloads.length }), { maxLength: 3 })),
          ([spoilt, skipped]) => {
            const events = (Array.isArray(spoilt) ? spoilt : []).flatMap((one: unknown, index) => {
              const { name: type, payload } = (one ?? {}) as { name?: unknown; payload?: unknown };
              const data = JSON.stringify(payload) ?? "";
              return skipped.includes(index) ? [] : [{ name: typeof type === "string" ? type : null, data }];
            });
            isUpstreamFault(() => decodeEvents(events, request));
          },
        ),
        always(tripped(payloads).map((spoilt): [unknown, number[]] => [spoilt, []])),
      );
    }
  });
});
