import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import fc from "fast-check";
import { always, TRIPPING, tripped } from "../../../test/upstreams/hostile.ts";
import type { ChatChunk, ChatDelta } from "../../contract/chat.ts";
import { GatewayError } from "../../contract/errors.ts";
import { SseSplitter } from "../../lib/sse.ts";
import type { StreamEvent } from "../dialect.ts";
import { decodeMessage } from "./answer.ts";
import { MessageStream } from "./message-stream.ts";
import { chatRequest, FACTS, ODD_VALUES } from "./test-request.ts";

const NAMES =
  `text cached stop-sequence max-tokens refusal tool parallel-tools thinking interleaved-thinking hidden-thinking
  json-tool server-tool pause`.split(/\s+/);

const read = (name: string) => Bun.file(join(import.meta.dir, "fixtures", name)).text();
const message = async (name: string) => JSON.parse(await read(`${name}.json`));
const asking = (name: string) => chatRequest(name === "json-tool" ? { response_format: { type: "json_object" } } : {});

async function events(name: string): Promise<StreamEvent[]> {
  const splitter = new SseSplitter();
  return [...splitter.push(new TextEncoder().encode(await read(`${name}.sse`))), ...splitter.end()];
}

function streamed(all: readonly StreamEvent[], request = chatRequest()): ChatChunk[] {
  const decoder = new MessageStream(request, FACTS);
  const chunks = all.flatMap((event) => decoder.push(event));
  return [...chunks, ...decoder.end()];
}

interface Gathered {
  message: Record<string, unknown> & { tool_calls?: Record<string, unknown>[] };
  finish_reason: string | null;
  usage: unknown;
}

/** What a client makes of the chunks. */
function gather(chunks: readonly ChatChunk[]): Gathered {
  const whole: Gathered = { message: { content: null }, finish_reason: null, usage: null };
  for (const chunk of chunks) {
    whole.usage = chunk.usage ?? whole.usage;
    for (const { delta, finish_reason } of chunk.choices) {
      add(whole.message, delta);
      whole.finish_reason = finish_reason ?? whole.finish_reason;
    }
  }
  return whole;
}

function add(into: Gathered["message"], { tool_calls, function_call, ...rest }: ChatDelta): void {
  for (const [name, value] of Object.entries(rest)) {
    into[name] = typeof value === "string" && name !== "role" ? `${into[name] ?? ""}${value}` : value;
  }
  if (function_call) into.function_call = joinCall(into.function_call, function_call);
  for (const { index, function: called, ...call } of tool_calls ?? []) {
    into.tool_calls ??= [];
    const known = into.tool_calls[index];
    into.tool_calls[index] = { ...known, ...call, function: joinCall(known?.function, called) };
  }
}

const joinCall = (known: unknown, more: unknown) => {
  const [a, b] = [known, more] as ({ name?: string; arguments?: string } | undefined)[];
  return { name: b?.name ?? a?.name, arguments: `${a?.arguments ?? ""}${b?.arguments ?? ""}` };
};

/** The pieces of a stream keep the model's white space, a parsed input does not. */
const comparable = (value: unknown, json: boolean): unknown =>
  JSON.parse(JSON.stringify(value), (name, part) =>
    name === "arguments" || (json && name === "content" && typeof part === "string") ? JSON.parse(part) : part,
  );

for (const name of NAMES) {
  test(`the streamed answer "${name}" comes to the same as the plain one`, async () => {
    const plain = decodeMessage(await message(name), asking(name), FACTS);
    const chunks = streamed(await events(name), asking(name));
    const isJson = name === "json-tool";
    const { finish_reason, message: said } = plain.choices[0] ?? {};
    expect(comparable(gather(chunks), isJson)).toEqual(
      comparable({ message: said, finish_reason, usage: plain.usage }, isJson),
    );
    expect(new Set(chunks.map(({ id, created, model, object }) => [id, created, model, object].join()))).toEqual(
      new Set([[plain.id, plain.created, plain.model, "chat.completion.chunk"].join()]),
    );
  });

  test(`the stream "${name}" begins with the role and ends with the reason and the usage`, async () => {
    const chunks = streamed(await events(name), asking(name));
    expect(chunks[0]?.choices[0]?.delta).toEqual({ role: "assistant" });
    expect(chunks.at(-2)?.choices[0]).toMatchObject({ delta: {}, finish_reason: expect.any(String) });
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { total_tokens: expect.any(Number) } });
    expect(chunks.filter(({ usage }) => usage)).toHaveLength(1);
  });
}

describe("a plain answer", () => {
  const decode = async (name: string, request = chatRequest()) => decodeMessage(await message(name), request, FACTS);

  test("of text has its words, its id and the caller's name of the model", async () => {
    expect(await decode("text")).toEqual({
      id: "msg_01XFDUDYJgAACzvnptvVoYEL",
      object: "chat.completion",
      created: 1_700_000_000,
      model: "claude",
      choices: [
        {
          index: 0,
          message: { role: "assistant", content: "Der Kölner Dom ist 157 Meter hoch. 👋" },
          finish_reason: "stop",
        },
      ],
      usage: {
        prompt_tokens: 25,
        completion_tokens: 15,
        total_tokens: 40,
        prompt_tokens_details: { cached_tokens: 0, cache_creation_tokens: 0 },
        cache_read_input_tokens: 0,
        cache_creation_input_tokens: 0,
        cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 0 },
      },
    });
  });

  test("counts what was read from and written to the cache among the prompt", async () => {
    expect((await decode("cached")).usage).toMatchObject({
      prompt_tokens: 21 + 188_086 + 1024,
      prompt_tokens_details: { cached_tokens: 188_086, cache_creation_tokens: 1024 },
      cache_read_input_tokens: 188_086,
      cache_creation_input_tokens: 1024,
    });
  });

  test("says in OpenAI's words why it ended", async () => {
    const reason = async (name: string) => (await decode(name)).choices[0]?.finish_reason;
    expect(await reason("stop-sequence")).toBe("stop");
    expect(await reason("max-tokens")).toBe("length");
    expect(await reason("refusal")).toBe("content_filter");
    expect(await reason("pause")).toBe("stop");
    expect(await reason("parallel-tools")).toBe("tool_calls");
    const body = await message("text");
    const full = decodeMessage({ ...body, stop_reason: "model_context_window_exceeded" }, chatRequest(), FACTS);
    expect(full.choices[0]?.finish_reason).toBe("length");
    expect(decodeMessage({ ...body, stop_reason: "toString" }, chatRequest(), FACTS).choices[0]?.finish_reason).toBe(
      "stop",
    );
  });

  test("has calls with ids and arguments as JSON text", async () => {
    expect((await decode("parallel-tools")).choices[0]?.message).toEqual({
      role: "assistant",
      content: null,
      tool_calls: [
        { id: "toolu_01", type: "function", function: { name: "get_weather", arguments: '{"location":"Paris"}' } },
        { id: "toolu_02", type: "function", function: { name: "get_time", arguments: "{}" } },
        { id: "toolu_03", type: "function", function: { name: "get_weather", arguments: '{"location":"Köln"}' } },
      ],
    });
  });

  test("has its thinking as text and as signed blocks, and says what it took", async () => {
    const answer = await decode("interleaved-thinking");
    expect(answer.choices[0]?.message).toMatchObject({
      content: "Let me see.",
      reasoning_content: "First the weather. Then the time.",
      thinking_blocks: [
        { type: "thinking", signature: "c2lnbmF0dXJlIG9uZQ==" },
        { type: "redacted_thinking" },
        { type: "thinking", signature: "c2lnbmF0dXJlIHR3bw==" },
      ],
    });
    expect(answer.usage?.completion_tokens_details).toEqual({ reasoning_tokens: 180 });
  });

  test("in JSON is unfolded into content only when the request asked for JSON", async () => {
    const unfolded = await decode("json-tool", asking("json-tool"));
    expect(unfolded.choices[0]).toMatchObject({
      finish_reason: "stop",
      message: { content: '{"name":"Ada Lovelace","born":1815,"fields":["mathematics","computing"]}' },
    });
    expect((await decode("json-tool")).choices[0]?.finish_reason).toBe("tool_calls");
  });

  test("to a request of the older interface has a function_call, streamed or not", async () => {
    const request = chatRequest({ functions: [{ name: "get_weather" }] });
    const plain = (await decode("tool", request)).choices[0];
    expect(plain).toMatchObject({
      finish_reason: "function_call",
      message: { function_call: { name: "get_weather" } },
    });
    const whole = gather(streamed(await events("tool"), request));
    expect(whole.finish_reason).toBe("function_call");
    expect(comparable(whole.message, false)).toEqual(comparable(plain?.message, false));
  });

  test("with absurd counts is charged nothing for them", async () => {
    const usage = { input_tokens: -5, output_tokens: 1e300, cache_read_input_tokens: "7", output_tokens_details: {} };
    const answer = decodeMessage({ ...(await message("text")), usage }, chatRequest(), FACTS);
    expect(answer.usage).toMatchObject({ prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 });
  });

  test("that is an error with status 200 is that error", () => {
    const body = { type: "error", error: { type: "overloaded_error", message: "Overloaded" } };
    expect(() => decodeMessage(body, chatRequest(), FACTS)).toThrow(
      expect.objectContaining({ kind: "upstream_unavailable" }),
    );
  });
});

describe("a stream", () => {
  const event = (data: unknown): StreamEvent => ({ name: null, data: JSON.stringify(data) });

  test("that ends before the answer is whole broke off, wherever it is cut", async () => {
    for (const name of ["text", "parallel-tools", "thinking"]) {
      const all = await events(name);
      for (let length = 0; length < all.length - 2; length++) {
        expect(() => streamed(all.slice(0, length))).toThrow("Anthropic's stream broke off.");
      }
      expect(streamed(all.slice(0, -1))).toEqual(streamed(all));
    }
  });

  test("with an error event fails with the kind of that error", async () => {
    const kinds = [
      ["overloaded_error", "Overloaded", "upstream_unavailable"],
      ["api_error", "Internal server error", "upstream"],
      ["rate_limit_error", "Slow down", "rate_limit"],
      ["invalid_request_error", "prompt is too long: 9 > 8", "context_window"],
      ["timeout_error", "Timed out", "timeout"],
      ["constructor", "?", "upstream"],
    ];
    for (const [type, words, kind] of kinds) {
      const all = [...(await events("text")).slice(0, 3), event({ type: "error", error: { type, message: words } })];
      expect(() => streamed(all)).toThrow(expect.objectContaining({ kind }));
    }
  });

  test("may have events, blocks and fields that nobody knows yet", async () => {
    const all = await events("text");
    const strange = [
      event({ type: "galaxy_start", index: 0 }),
      event({ type: "content_block_start", index: 9, content_block: { type: "hologram" } }),
      event({ type: "content_block_delta", index: 9, delta: { type: "hologram_delta", light: 1 } }),
      event({ type: "content_block_stop", index: 9 }),
    ];
    expect(streamed([...all.slice(0, 2), ...strange, ...all.slice(2), event({ type: "later" })])).toEqual(
      streamed(all),
    );
  });

  test("may leave the type to the event's name", async () => {
    const all = (await events("tool")).map(({ name, data }) => {
      const { type: _, ...rest } = JSON.parse(data);
      return { name, data: JSON.stringify(rest) };
    });
    expect(streamed(all)).toEqual(streamed(await events("tool")));
  });

  test("may give the whole input of a call at its beginning", async () => {
    const all = [
      event({ type: "message_start", message: {} }),
      event({
        type: "content_block_start",
        index: 0,
        content_block: { type: "tool_use", id: "t", name: "f", input: { a: 1 } },
      }),
      event({ type: "content_block_stop", index: 0 }),
      event({ type: "message_delta", delta: { stop_reason: "tool_use" } }),
    ];
    const whole = gather(streamed(all));
    expect(whole.message.tool_calls).toEqual([
      { id: "t", type: "function", function: { name: "f", arguments: '{"a":1}' } },
    ]);
  });
});

describe("whatever the upstream answers", () => {
  const survives = (act: () => unknown): boolean => {
    try {
      act();
      return true;
    } catch (error) {
      return error instanceof GatewayError;
    }
  };

  test("an answer that is none is the upstream's fault", () => {
    for (const body of [null, [], {}, "text", 7, { content: null }, { content: [], usage: {} }, { content: [null] }]) {
      expect(() => decodeMessage(body, chatRequest(), FACTS)).toThrow(expect.objectContaining({ kind: "upstream" }));
    }
    const blocks = [7, { type: "text" }, { type: "tool_use", id: "a", name: "b" }, { type: "thinking" }];
    for (const block of [...blocks, { type: "tool_use", name: "b", input: {} }, { type: "redacted_thinking" }]) {
      const body = { content: [block], stop_reason: "end_turn" };
      expect(() => decodeMessage(body, chatRequest(), FACTS)).toThrow(expect.objectContaining({ kind: "upstream" }));
    }
  });

  test("decoding ends in an answer or in a gateway error", async () => {
    const blocks = fc.oneof(
      fc.anything(),
      fc.record(
        {
          type: fc.constantFrom("text", "tool_use", "thinking", "redacted_thinking", "x"),
          text: fc.anything(),
          id: fc.anything(),
          name: fc.anything(),
          input: fc.anything(),
          thinking: fc.anything(),
        },
        { requiredKeys: ["type"] },
      ),
    );
    const bodies = fc.record({ content: fc.array(blocks), stop_reason: fc.string(), usage: fc.anything() });
    const recorded = await Promise.all(NAMES.map(message));
    fc.assert(
      fc.property(fc.oneof(fc.anything(), bodies), (body) => survives(() => decodeMessage(body, chatRequest(), FACTS))),
      always(recorded.flatMap(tripped)),
    );
  });

  test("streaming ends in chunks or in a gateway error", async () => {
    const any = fc.constantFrom(...ODD_VALUES, ...TRIPPING);
    const types = [
      "message_start",
      "content_block_start",
      "content_block_delta",
      "content_block_stop",
      "message_delta",
    ];
    const deltas = ["text_delta", "thinking_delta", "signature_delta", "input_json_delta", "citations_delta"];
    const kinds = ["text", "tool_use", "thinking", "redacted_thinking"];
    const part = (names: string[]) =>
      fc.record(
        {
          type: fc.constantFrom(...names),
          text: any,
          thinking: any,
          partial_json: any,
          name: any,
          id: any,
          input: any,
          stop_reason: any,
        },
        { requiredKeys: [] },
      );
    const data = fc
      .record({
        type: fc.constantFrom(...types, "error", "ping"),
        index: fc.constantFrom(0, 1, null),
        message: fc.constantFrom({}, null),
        error: any,
        content_block: part(kinds),
        delta: part(deltas),
        usage: any,
      })
      .map((value) => JSON.stringify(value));
    const all = fc.array(
      fc.record({ name: fc.constant(null), data: fc.oneof({ weight: 9, arbitrary: data }, fc.string()) }),
    );
    const recorded = (await Promise.all(NAMES.map(events))).map((one) => one.map(({ data }) => JSON.parse(data)));
    const examples = recorded.flatMap(tripped).filter(Array.isArray);
    fc.assert(
      fc.property(all, (given) => survives(() => streamed(given))),
      always(examples.map((one) => one.map((data) => ({ name: null, data: JSON.stringify(data) })))),
    );
  });
});
