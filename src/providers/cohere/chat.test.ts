import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { thrownBy } from "../../../test/upstreams/chat-samples.ts";
import { always, spoiled, tripped } from "../../../test/upstreams/hostile.ts";
import { joinChunks } from "../../../test/upstreams/join-chunks.ts";
import type { ChatChunk, ChatRequest } from "../../contract/chat.ts";
import { GatewayError } from "../../contract/errors.ts";
import { SseSplitter } from "../../lib/sse.ts";
import type { StreamEvent } from "../dialect.ts";
import { decodeCohereChat } from "./decode-chat.ts";
import citations from "./fixtures/citations.json";
import cutShort from "./fixtures/cut-short.json";
import logprobs from "./fixtures/logprobs.json";
import parallelTools from "./fixtures/parallel-tools.json";
import reasoning from "./fixtures/reasoning.json";
import silence from "./fixtures/silence.json";
import text from "./fixtures/text.json";
import toolAfterThinking from "./fixtures/tool-after-thinking.json";
import { CohereStream } from "./stream.ts";

const request: ChatRequest = { model: "command", messages: [{ role: "user", content: "Hello" }] };
const facts = { id: "chatcmpl-1", createdSeconds: 1_700_000_000, model: "my-model" };
const decode = (body: unknown) => decodeCohereChat(body, request, facts);
const ALL = {
  text,
  reasoning,
  citations,
  logprobs,
  silence,
  "cut-short": cutShort,
  "parallel-tools": parallelTools,
  "tool-after-thinking": toolAfterThinking,
};

async function eventsOf(name: string): Promise<readonly StreamEvent[]> {
  const splitter = new SseSplitter();
  const bytes = await Bun.file(new URL(`./fixtures/${name}.sse`, import.meta.url)).bytes();
  return [...splitter.push(bytes), ...splitter.end()];
}

function stream(events: readonly StreamEvent[]): readonly ChatChunk[] {
  const decoder = new CohereStream(facts);
  return [...events.flatMap((event) => decoder.push(event)), ...decoder.end()];
}

const event = (data: object): StreamEvent => ({ name: null, data: JSON.stringify(data) });

describe("a plain answer", () => {
  test("has Cohere's id, the caller's model, the text and the tokens that the model read", () => {
    expect(decode(text)).toEqual({
      id: "c14c80c3-18eb-4519-9460-6c92edd8cfb4",
      object: "chat.completion",
      created: 1_700_000_000,
      model: "my-model",
      choices: [
        {
          index: 0,
          message: { role: "assistant", content: "Ferries cross the sound every hour — even in winter." },
          finish_reason: "stop",
        },
      ],
      usage: {
        prompt_tokens: 71,
        completion_tokens: 11,
        total_tokens: 82,
        prompt_tokens_details: { cached_tokens: 64 },
        cache_read_input_tokens: 64,
      },
    });
  });

  test("counts billed units where tokens are not given", () => {
    const answer = decode(cutShort);
    expect(answer.usage).toEqual({ prompt_tokens: 18, completion_tokens: 6, total_tokens: 24 });
    expect(answer.choices[0]?.finish_reason).toBe("length");
  });

  test("never counts absurd numbers", () => {
    for (const tokens of [-5, Number.NaN, 1e300, "7", null]) {
      const usage = { tokens: { input_tokens: tokens, output_tokens: tokens }, cached_tokens: tokens ?? -1 };
      expect(decode({ ...text, usage }).usage).toMatchObject({
        prompt_tokens: 0,
        completion_tokens: 0,
        total_tokens: 0,
      });
    }
  });

  test("gives thinking and the plan of calls as reasoning", () => {
    expect(decode(reasoning).choices[0]?.message).toEqual({
      role: "assistant",
      content: "Three.",
      reasoning_content: "Three brothers share the same sisters. Alice is one.",
    });
    expect(decode(toolAfterThinking).choices[0]?.message).toEqual({
      role: "assistant",
      content: null,
      reasoning_content: "The clock tells.\n\nI will ask it.",
      tool_calls: [{ id: "now_0", type: "function", function: { name: "now", arguments: "{}" } }],
    });
  });

  test("gives all calls with their ids and arguments as JSON text", () => {
    const [choice] = decode(parallelTools).choices;
    expect(choice?.finish_reason).toBe("tool_calls");
    expect(choice?.message.tool_calls?.map((call) => [call.id, call.function.arguments])).toEqual([
      ["get_weather_p1t92w7gfgq7", '{"city": "Madrid"}'],
      ["get_weather_ay6nmvjgp9vn", '{"city": "Brasília"}'],
    ]);
  });

  test("keeps citations as Cohere has them", () => {
    expect(decode(citations).choices[0]?.message.provider_specific_fields).toEqual({
      citations: citations.message.citations,
    });
  });

  test("gives a piece of text the probability of all of its tokens", () => {
    expect(decode(logprobs).choices[0]?.logprobs).toEqual({
      content: [
        { token: "Yes", logprob: -0.25, bytes: null, top_logprobs: [] },
        { token: " indeed", logprob: -1.75, bytes: null, top_logprobs: [] },
      ],
      refusal: null,
    });
  });

  test("that failed on the way is an error", () => {
    expect(thrownBy(() => decode({ ...text, finish_reason: "TIMEOUT" })).kind).toBe("timeout");
    expect(thrownBy(() => decode({ ...text, finish_reason: "ERROR" })).kind).toBe("upstream");
  });

  test("that is none is an upstream error, never another exception", () => {
    for (const body of [null, [], {}, "text", 7, { message: [] }, { message: { content: 5 } }]) {
      expect(thrownBy(() => decode(body)).kind).toBe("upstream");
    }
    const bodies = fc.oneof(fc.anything(), ...Object.values(ALL).map(spoiled));
    fc.assert(
      fc.property(bodies, (body) => expectAnswerOrGatewayError(() => decode(body))),
      always(Object.values(ALL).flatMap(tripped)),
    );
  });
});

function expectAnswerOrGatewayError(action: () => unknown): void {
  try {
    action();
  } catch (thrown) {
    expect(thrown).toBeInstanceOf(GatewayError);
    expect(["upstream", "timeout", "context_window"]).toContain((thrown as GatewayError).kind);
  }
}

describe("a streamed answer", () => {
  test.each(Object.entries(ALL))("put together is the plain one: %s", async (name, plain) => {
    expect(joinChunks(stream(await eventsOf(name)))).toEqual(decode(plain));
  });

  test("ends with an empty delta and the reason, then the usage without choices", async () => {
    const chunks = stream(await eventsOf("parallel-tools"));
    expect(chunks.at(-2)?.choices).toEqual([{ index: 0, delta: {}, finish_reason: "tool_calls" }]);
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { total_tokens: 82 } });
  });

  test("is the same with unknown events and fields between its own", async () => {
    const events = await eventsOf("tool-after-thinking");
    const noise = [event({ type: "debug", prompt: "x" }), { name: "ping", data: "" }, { name: null, data: "[DONE]" }];
    const noisy = events.flatMap((one) => [...noise, { ...one, data: one.data.replace("{", '{"unknown":[1],') }]);
    expect(joinChunks(stream([...noisy, ...noise]))).toEqual(decode(toolAfterThinking));
  });

  test("is read without the event names and without the indexes", async () => {
    const events = (await eventsOf("text")).map(({ data }) => ({ name: null, data: data.replace('"index":0,', "") }));
    expect(joinChunks(stream(events))).toEqual(decode(text));
  });

  test("that ends early has broken off, wherever that is", async () => {
    const events = await eventsOf("parallel-tools");
    for (let count = 0; count < events.length; count++) {
      expect(thrownBy(() => stream(events.slice(0, count)))).toMatchObject({
        kind: "upstream",
        message: "Cohere's stream broke off.",
      });
    }
  });

  test("that fails says why and of what kind", async () => {
    const begun = (await eventsOf("text")).slice(0, 3);
    const failed = (delta: object) => thrownBy(() => stream([...begun, event({ type: "message-end", delta })]));
    expect(failed({ finish_reason: "ERROR", error: "no capacity" })).toMatchObject({
      kind: "upstream",
      message: "Cohere: no capacity",
    });
    expect(failed({ finish_reason: "ERROR", error: "too many tokens: size limit exceeded" }).kind).toBe(
      "context_window",
    );
    expect(failed({ finish_reason: "TIMEOUT" }).kind).toBe("timeout");
    expect(thrownBy(() => stream([...begun, event({ id: "x", message: "internal server error" })])).message).toBe(
      "Cohere: internal server error",
    );
  });

  test("of anything gives chunks or a gateway error, never another exception", async () => {
    const fixtures = await Promise.all(Object.keys(ALL).map(eventsOf));
    const parsed = fixtures.flat().map(({ data }) => JSON.parse(data) as unknown);
    const data = fc.oneof(
      fc.string(),
      fc.json(),
      ...parsed.map((one) => spoiled(one).map((x) => JSON.stringify(x) ?? "")),
    );
    const events = fc.array(data.map((one) => ({ name: null, data: one })));
    const whole = fixtures.map((all) => all.map(({ data }) => JSON.parse(data) as unknown));
    const examples = whole.flatMap(tripped).filter(Array.isArray);
    fc.assert(
      fc.property(events, (all) => expectAnswerOrGatewayError(() => stream(all))),
      always(examples.map((all) => all.map((one) => ({ name: null, data: JSON.stringify(one) })))),
    );
  });
});
