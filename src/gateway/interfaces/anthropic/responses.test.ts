import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { runs } from "../../../../test/property-runs.ts";
import type { ChatAnswer, ChatChunk, ChatRequest } from "../../../contract/chat.ts";
import { GatewayError } from "../../../contract/errors.ts";
import { eventsOf, SseSplitter, sseText } from "../../../lib/sse.ts";
import { decodeMessage } from "../../../providers/anthropic/answer.ts";
import { MessageStream } from "../../../providers/anthropic/message-stream.ts";
import { eventBody } from "../shared/event-body.ts";
import { MessageEvents } from "./message-events.ts";
import type { Asked } from "./stop-reason.ts";
import { toMessage } from "./to-message.ts";

const FACTS = { id: "chatcmpl-1", createdSeconds: 1, model: "claude" };
const ASKED: Asked = { thinking: true, stopSequences: ["three"] };
const QUIET: Asked = { thinking: false, stopSequences: [] };
const OWN = { anthropic_form: true, model: "claude", messages: [] } as unknown as ChatRequest;

const folder = join(import.meta.dir, "../../../providers/anthropic/fixtures");
const fixture = (name: string): string => readFileSync(join(folder, name), "utf8");
/** Those whose answer is one of Anthropic's as it stands: the tool that hands over JSON is ours. */
const recorded = readdirSync(folder)
  .filter((name) => name.endsWith(".sse") && name !== "json-tool.sse")
  .map((name) => name.slice(0, -".sse".length));

type Event = Record<string, unknown> & { type: string };
const parsed = (text: string): Event[] => eventsOf(text).map(({ data }) => JSON.parse(data) as Event);

/** A message as a client gathers it from events. */
function gathered(events: readonly Event[]): Record<string, unknown> {
  let message: Record<string, unknown> = {};
  const content: Record<string, unknown>[] = [];
  const inputs = new Map<number, string>();
  for (const event of events) {
    const index = Number(event.index);
    const delta = (event.delta ?? {}) as Record<string, string>;
    const block = content[index] ?? {};
    if (event.type === "message_start") message = event.message as Record<string, unknown>;
    if (event.type === "content_block_start") content[index] = { ...(event.content_block as object) };
    if (delta.type === "text_delta") block.text = `${block.text}${delta.text}`;
    if (delta.type === "thinking_delta") block.thinking = `${block.thinking}${delta.thinking}`;
    if (delta.type === "signature_delta") block.signature = delta.signature;
    if (delta.type === "input_json_delta") inputs.set(index, (inputs.get(index) ?? "") + delta.partial_json);
    if (delta.type === "citations_delta") block.citations = [...((block.citations as []) ?? []), delta.citation];
    if (event.type === "message_delta") message = { ...message, ...delta, usage: event.usage };
  }
  for (const [index, input] of inputs)
    if (input !== "") content[index] = { ...content[index], input: JSON.parse(input) };
  return { ...message, content };
}

/** The chat's frames of a stream of Anthropic's, cut into pieces of the sizes given. */
function framesOf(sse: string, sizes: readonly number[] = []): string {
  const decoder = new MessageStream(OWN, FACTS);
  const splitter = new SseSplitter();
  const bytes = new TextEncoder().encode(sse);
  let out = "";
  const take = (events: readonly { name: string | null; data: string }[]): void => {
    for (const event of events) for (const chunk of decoder.push(event)) out += sseText(JSON.stringify(chunk));
  };
  let at = 0;
  for (const size of sizes) {
    take(splitter.push(bytes.subarray(at, at + size)));
    at = Math.min(bytes.length, at + size);
  }
  take(splitter.push(bytes.subarray(at)));
  take(splitter.end());
  decoder.end();
  return `${out}data: [DONE]\n\n`;
}

function bodyOf(text: string, sizes: readonly number[] = []): Response {
  const bytes = new TextEncoder().encode(text);
  const ends = sizes.map((_, count) => sizes.slice(0, count + 1).reduce((sum, size) => sum + size, 0));
  const pieces = [...ends, bytes.length].map((end, at) => bytes.subarray(ends[at - 1] ?? 0, end));
  return new Response(
    new ReadableStream({
      start(controller) {
        for (const piece of pieces) if (piece.length > 0) controller.enqueue(piece);
        controller.close();
      },
    }),
  );
}

const UNTOLD = { estimate: null };
const told = (answer: Response, asked = ASKED): Promise<string> =>
  new Response(eventBody(answer, new MessageEvents("call-1", asked, UNTOLD))).text();

const chunks = (...list: object[]): string =>
  list.map((choice) => sseText(JSON.stringify({ id: "chatcmpl-7", choices: [choice] }))).join("");
const delta = (fields: object, finish: string | null = null) => ({ index: 0, delta: fields, finish_reason: finish });
const DONE = "data: [DONE]\n\n";

describe("an answer of Anthropic's own model comes back as it was", () => {
  test("there are enough of them", () => expect(recorded.length).toBeGreaterThan(8));

  test.each(recorded)("%s, plain", (name) => {
    const body = JSON.parse(fixture(`${name}.json`));
    const { output_tokens_details: _, service_tier: __, ...usage } = body.usage;
    const answer = JSON.parse(JSON.stringify(decodeMessage(body, OWN, FACTS))) as ChatAnswer;
    expect(toMessage(answer, ASKED)).toEqual({ ...body, model: "claude", usage });
  });

  test.each(recorded)("%s, streamed", async (name) => {
    const events = parsed(await told(bodyOf(framesOf(fixture(`${name}.sse`)))));
    const { content, stop_reason, stop_sequence, usage } = JSON.parse(fixture(`${name}.json`));
    expect(gathered(events)).toMatchObject({
      content,
      stop_reason,
      stop_sequence,
      usage: { input_tokens: usage.input_tokens, output_tokens: usage.output_tokens },
    });
    expect(gathered(events).content).toEqual(content);
  });

  test("citations, and blocks of a kind that is still unknown, are told piece by piece", async () => {
    const citation = { type: "char_location", cited_text: "grass is green", document_index: 0 };
    const events = [
      { type: "message_start", message: { id: "msg_1", usage: { input_tokens: 3, output_tokens: 1 } } },
      { type: "content_block_start", index: 0, content_block: { type: "text", text: "", citations: [] } },
      { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "green" } },
      { type: "content_block_delta", index: 0, delta: { type: "citations_delta", citation } },
      { type: "content_block_stop", index: 0 },
      { type: "content_block_start", index: 1, content_block: { type: "text", text: "" } },
      { type: "content_block_delta", index: 1, delta: { type: "text_delta", text: ", indeed" } },
      { type: "content_block_stop", index: 1 },
      { type: "content_block_start", index: 2, content_block: { type: "compaction", content: "…" } },
      { type: "content_block_stop", index: 2 },
      { type: "message_delta", delta: { stop_reason: "end_turn", stop_sequence: null }, usage: { output_tokens: 4 } },
      { type: "message_stop" },
    ];
    const sse = events.map((event) => `event: ${event.type}\n${sseText(JSON.stringify(event))}`).join("");
    expect(gathered(parsed(await told(bodyOf(framesOf(sse))))).content).toEqual([
      { type: "text", text: "green", citations: [citation] },
      { type: "text", text: ", indeed" },
      { type: "compaction", content: "…" },
    ]);
  });

  test("however its bytes are cut, the events are the same", async () => {
    for (const name of recorded) {
      const sse = fixture(`${name}.sse`);
      const whole = await told(bodyOf(framesOf(sse)));
      const sizes = fc.array(fc.integer({ min: 1, max: 200 }), { maxLength: 60 });
      await fc.assert(
        fc.asyncProperty(sizes, sizes, async (theirs, ours) => {
          expect(await told(bodyOf(framesOf(sse, theirs), ours))).toBe(whole);
        }),
        { numRuns: 15 },
      );
    }
  });
});

describe("the answer of any other model", () => {
  const plain = (message: object, finish: string, more: object = {}): ChatAnswer =>
    ({ id: "chatcmpl-7", model: "m", choices: [{ index: 0, message, finish_reason: finish, ...more }] }) as never;

  test("has its words and calls as blocks", () => {
    const call = { id: "call_1", type: "function", function: { name: "look", arguments: '{"at":1}' } };
    const broken = { id: "call_2", type: "function", function: { name: "look", arguments: "{at" } };
    const none = { id: "call_3", type: "function", function: { name: "look", arguments: "" } };
    const answer = plain({ content: "Let me see.", tool_calls: [call, broken, none] }, "tool_calls");
    expect(toMessage({ ...answer, usage: USAGE }, QUIET)).toEqual({
      id: "msg_7",
      type: "message",
      role: "assistant",
      model: "m",
      content: [
        { type: "text", text: "Let me see." },
        { type: "tool_use", id: "call_1", name: "look", input: { at: 1 } },
        { type: "tool_use", id: "call_2", name: "look", input: { INVALID_JSON: "{at" } },
        { type: "tool_use", id: "call_3", name: "look", input: {} },
      ],
      stop_reason: "tool_use",
      stop_sequence: null,
      usage: {
        input_tokens: 6,
        cache_creation_input_tokens: 0,
        cache_read_input_tokens: 4,
        output_tokens: 5,
      },
    });
  });
  const USAGE = {
    prompt_tokens: 10,
    completion_tokens: 5,
    total_tokens: 15,
    prompt_tokens_details: { cached_tokens: 4 },
  };

  test.each([
    ["stop", {}, "end_turn", null],
    ["length", {}, "max_tokens", null],
    ["content_filter", {}, "refusal", null],
    ["stop", { stop_reason: "three" }, "stop_sequence", "three"],
    ["stop", { stop_reason: 128_001 }, "end_turn", null],
    ["stop", { stop_reason: "something" }, "end_turn", null],
  ])("that ended with %s %j has the stop reason %s", async (finish, more, reason, sequence) => {
    const expected = { stop_reason: reason, stop_sequence: sequence };
    expect(toMessage(plain({ content: "Hi" }, finish, more), ASKED)).toMatchObject(expected);
    const frames = chunks(delta({ content: "Hi" }), { ...delta({}, finish), ...more }) + DONE;
    expect(gathered(parsed(await told(bodyOf(frames))))).toMatchObject(expected);
  });

  test("shows unsigned thoughts only to who asked for thoughts", async () => {
    const said = { content: "4", reasoning_content: "2 and 2" };
    const thought = { type: "thinking", thinking: "2 and 2", signature: "" };
    const text = { type: "text", text: "4" };
    expect(toMessage(plain(said, "stop"), ASKED)).toMatchObject({ content: [thought, text] });
    expect(toMessage(plain(said, "stop"), QUIET)).toMatchObject({ content: [text] });
    const frames = chunks(
      delta({ reasoning_content: "2 and" }),
      delta({ reasoning_content: " 2" }),
      delta({ content: "4" }),
    );
    expect(gathered(parsed(await told(bodyOf(frames + DONE))))).toMatchObject({ content: [thought, text] });
    expect(gathered(parsed(await told(bodyOf(frames + DONE), QUIET))).content).toEqual([text]);
  });

  test("has each signature where its thought is, whether it comes with the thought or at the end", async () => {
    const block = (thinking: string) => ({ type: "thinking", thinking, signature: `signed ${thinking}` });
    const redacted = { type: "redacted_thinking", data: "x" };
    const soon = chunks(
      ...[delta({ reasoning_content: "one" }), delta({ thinking_blocks: [block("one")] }), delta({ content: "A" })],
      ...[
        delta({ reasoning_content: "two" }),
        delta({ thinking_blocks: [block("two"), redacted] }),
        delta({ content: "B" }),
      ],
    );
    expect(gathered(parsed(await told(bodyOf(soon + DONE)))).content).toEqual([
      block("one"),
      { type: "text", text: "A" },
      block("two"),
      redacted,
      { type: "text", text: "B" },
    ]);
    const late = chunks(
      delta({ reasoning_content: "one" }),
      delta({ content: "A" }),
      delta({ thinking_blocks: [block("one")] }),
    );
    expect(gathered(parsed(await told(bodyOf(late + DONE)))).content).toEqual([
      block("one"),
      { type: "text", text: "A" },
    ]);
  });

  test("has a block for each call, and closes each block before the next one begins", async () => {
    const call = (index: number, fields: object) => delta({ tool_calls: [{ index, ...fields }] });
    const frames = chunks(
      delta({ role: "assistant" }),
      delta({ content: "Both." }),
      call(0, { id: "a", function: { name: "one", arguments: "" } }),
      call(0, { function: { arguments: '{"x"' } }),
      call(0, { function: { arguments: ":1}" } }),
      call(1, { id: "b", function: { name: "two", arguments: '{"y":2}' } }),
      delta({}, "tool_calls"),
    );
    const events = parsed(await told(bodyOf(frames + DONE)));
    expect(events.map(({ type, index }) => [type, index].filter((part) => part !== undefined).join(" "))).toEqual([
      ...["message_start", "ping", "content_block_start 0", "content_block_delta 0", "content_block_stop 0"],
      ...["content_block_start 1", "content_block_delta 1", "content_block_delta 1", "content_block_stop 1"],
      ...["content_block_start 2", "content_block_delta 2", "content_block_stop 2", "message_delta", "message_stop"],
    ]);
    expect(gathered(events)).toMatchObject({
      stop_reason: "tool_use",
      content: [
        { text: "Both." },
        { id: "a", name: "one", input: { x: 1 } },
        { id: "b", name: "two", input: { y: 2 } },
      ],
    });
  });

  test("that breaks off ends with an error event, behind all that came before it", async () => {
    const error = { error: { message: "The provider is overloaded.", code: "upstream_unavailable" } };
    const events = parsed(await told(bodyOf(chunks(delta({ content: "Hel" })) + sseText(JSON.stringify(error)))));
    expect(events.slice(-2)).toEqual([
      { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "Hel" } },
      {
        type: "error",
        error: { type: "overloaded_error", message: "The provider is overloaded." },
        request_id: "call-1",
      },
    ]);
    const cut = parsed(await told(bodyOf(chunks(delta({ content: "Hel" })))));
    expect(cut.at(-1)).toMatchObject({ type: "error", error: { type: "api_error" } });
  });

  test("without a word is a message without content", async () => {
    const events = parsed(await told(bodyOf(chunks(delta({}, "stop")) + DONE)));
    expect(gathered(events)).toMatchObject({ content: [], stop_reason: "end_turn" });
    expect(toMessage(plain({ content: null }, "stop"), QUIET)).toMatchObject({ content: [] });
  });

  test("says what it refuses as its text", () => {
    const message = { content: null, refusal: "No." };
    expect(toMessage(plain(message, "stop"), QUIET)).toMatchObject({ content: [{ type: "text", text: "No." }] });
  });

  test("names the error of any kind", () => {
    const form = new MessageEvents("id", QUIET, UNTOLD);
    expect(form.fail(new GatewayError("rate_limit", "Slow down."))).toBe(
      'event: error\ndata: {"type":"error","error":{"type":"rate_limit_error","message":"Slow down."},"request_id":"id"}\n\n',
    );
  });
});

test("whatever an upstream wrote becomes a message", () => {
  const odd = fc.oneof(fc.jsonValue({ maxDepth: 1 }), fc.constantFrom(null, "{}", [], [null], [{}], {}));
  const message = fc.record({
    content: odd,
    refusal: odd,
    reasoning_content: odd,
    thinking_blocks: odd,
    tool_calls: odd,
  });
  const call = fc.record({ id: odd, function: fc.record({ name: odd, arguments: odd }) });
  const answer = fc.record({
    id: odd,
    model: odd,
    choices: fc.oneof(
      odd,
      fc.tuple(fc.record({ message: fc.oneof(odd, message), finish_reason: odd, stop_reason: odd })),
    ),
    usage: fc.oneof(odd, fc.record({ prompt_tokens: odd, prompt_tokens_details: odd, completion_tokens: odd })),
  });
  const calling = call.map((one) => ({ choices: [{ message: { tool_calls: [one] } }] }));
  fc.assert(
    fc.property(fc.oneof(answer, calling), (given) => {
      expect(toMessage(given, ASKED)).toMatchObject({
        type: "message",
        content: expect.any(Array),
        stop_reason: expect.any(String),
        usage: { input_tokens: expect.any(Number), output_tokens: expect.any(Number) },
      });
    }),
    { numRuns: runs(300) },
  );
});

test("a chunk of a second choice is passed over", () => {
  const form = new MessageEvents("id", QUIET, UNTOLD);
  const chunk = { id: "chatcmpl-1", choices: [{ index: 1, delta: { content: "x" }, finish_reason: null }] };
  expect(form.take(chunk as unknown as ChatChunk)).not.toContain("content_block");
});
