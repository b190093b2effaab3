import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { thrownBy } from "../../../test/upstreams/chat-samples.ts";
import { always, spoiled, tripped } from "../../../test/upstreams/hostile.ts";
import { joinChunks } from "../../../test/upstreams/join-chunks.ts";
import type { ChatChunk, ChatRequest } from "../../contract/chat.ts";
import { GatewayError } from "../../contract/errors.ts";
import { NdjsonSplitter } from "../../lib/sse.ts";
import type { StreamEvent } from "../dialect.ts";
import { decodeOllamaChat } from "./decode-chat.ts";
import cutShort from "./fixtures/cut-short.json";
import load from "./fixtures/load.json";
import logprobs from "./fixtures/logprobs.json";
import parallelTools from "./fixtures/parallel-tools.json";
import text from "./fixtures/text.json";
import thinking from "./fixtures/thinking.json";
import toolWithId from "./fixtures/tool-with-id.json";
import { OllamaStream } from "./stream.ts";

const request: ChatRequest = { model: "m", messages: [{ role: "user", content: "Hello" }] };
const facts = { id: "chatcmpl-1", createdSeconds: 1_700_000_000, model: "my-model" };
const decode = (body: unknown) => decodeOllamaChat(body, request, facts);
const ALL = {
  text,
  thinking,
  logprobs,
  load,
  "cut-short": cutShort,
  "parallel-tools": parallelTools,
  "tool-with-id": toolWithId,
};

async function linesOf(name: string): Promise<readonly StreamEvent[]> {
  const splitter = new NdjsonSplitter();
  const bytes = await Bun.file(new URL(`./fixtures/${name}.ndjson`, import.meta.url)).bytes();
  return [...splitter.push(bytes), ...splitter.end()];
}

function stream(lines: readonly StreamEvent[]): readonly ChatChunk[] {
  const decoder = new OllamaStream(facts);
  return [...lines.flatMap((line) => decoder.push(line)), ...decoder.end()];
}

const line = (data: object): StreamEvent => ({ name: null, data: JSON.stringify(data) });

function expectAnswerOrGatewayError(action: () => unknown): void {
  try {
    action();
  } catch (thrown) {
    expect(thrown).toBeInstanceOf(GatewayError);
  }
}

describe("a plain answer", () => {
  test("has the gateway's id, the caller's model, the text and the tokens", () => {
    expect(decode(text)).toEqual({
      id: "chatcmpl-1",
      object: "chat.completion",
      created: 1_700_000_000,
      model: "my-model",
      choices: [
        {
          index: 0,
          message: { role: "assistant", content: "The sky scatters blue light — mostly." },
          finish_reason: "stop",
        },
      ],
      usage: { prompt_tokens: 26, completion_tokens: 282, total_tokens: 308 },
    });
  });

  test("counts nothing where Ollama leaves the counts out or gives absurd ones", () => {
    const none = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 };
    expect(decode(cutShort).usage).toEqual(none);
    for (const count of [-1, 1e300, "5", null, {}]) {
      expect(decode({ ...text, prompt_eval_count: count, eval_count: count }).usage).toEqual(none);
    }
  });

  test("says why it ended", () => {
    expect(decode(cutShort).choices[0]?.finish_reason).toBe("length");
    expect(decode(load).choices[0]).toMatchObject({ message: { content: "" }, finish_reason: "stop" });
    expect(decode(toolWithId).choices[0]?.finish_reason).toBe("tool_calls");
  });

  test("gives the thinking as reasoning", () => {
    expect(decode(thinking).choices[0]?.message).toEqual({
      role: "assistant",
      content: "Three.",
      reasoning_content: "Count the sisters: two and Alice.",
    });
  });

  test("gives calls that have no id one that is the same each time", () => {
    expect(decode(parallelTools).choices[0]?.message).toEqual({
      role: "assistant",
      content: null,
      reasoning_content: "Both.",
      tool_calls: [
        {
          id: "call_chatcmpl-1_0",
          type: "function",
          function: { name: "get_weather", arguments: '{"city":"Madrid"}' },
        },
        {
          id: "call_chatcmpl-1_1",
          type: "function",
          function: { name: "get_weather", arguments: '{"city":"Brasília","days":2}' },
        },
      ],
    });
  });

  test("keeps the ids of calls that have them", () => {
    expect(decode(toolWithId).choices[0]?.message).toMatchObject({
      content: "Let me look.",
      tool_calls: [{ id: "call_m8j4ahzn", function: { name: "now", arguments: "{}" } }],
    });
  });

  test("gives probabilities in OpenAI's form", () => {
    expect(decode(logprobs).choices[0]?.logprobs).toEqual({
      content: [
        {
          token: "Yes",
          logprob: -0.25,
          bytes: [89, 101, 115],
          top_logprobs: [
            { token: "Yes", logprob: -0.25, bytes: [89, 101, 115] },
            { token: "No", logprob: -1.5, bytes: [78, 111] },
          ],
        },
        { token: ".", logprob: -0.125, bytes: null, top_logprobs: [] },
      ],
      refusal: null,
    });
  });

  test("that is none is an upstream error, never another exception", () => {
    for (const body of [null, [], {}, "text", 7, { message: {} }, { message: [], done: true }, { error: {} }]) {
      expect(thrownBy(() => decode(body)).kind).toBe("upstream");
    }
    const bodies = fc.oneof(fc.anything(), ...Object.values(ALL).map(spoiled));
    fc.assert(
      fc.property(bodies, (body) => expectAnswerOrGatewayError(() => decode(body))),
      always(Object.values(ALL).flatMap(tripped)),
    );
  });
});

describe("a streamed answer", () => {
  test.each(Object.entries(ALL))("put together is the plain one: %s", async (name, plain) => {
    expect(joinChunks(stream(await linesOf(name)))).toEqual(decode(plain));
  });

  test("ends with an empty delta and the reason, then the usage without choices", async () => {
    const chunks = stream(await linesOf("parallel-tools"));
    expect(chunks.at(-2)?.choices).toEqual([{ index: 0, delta: {}, finish_reason: "tool_calls" }]);
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { total_tokens: 308 } });
  });

  test("is the same with unknown fields, blank lines and lines after the last", async () => {
    const lines = await linesOf("thinking");
    const noisy = lines.flatMap((one) => [
      { name: null, data: " " },
      { ...one, data: one.data.replace("{", '{"x":1,') },
    ]);
    expect(joinChunks(stream([...noisy, line({ anything: true })]))).toEqual(decode(thinking));
  });

  test("that ends early has broken off, wherever that is", async () => {
    const lines = await linesOf("parallel-tools");
    for (let count = 0; count < lines.length; count++) {
      expect(thrownBy(() => stream(lines.slice(0, count)))).toMatchObject({
        kind: "upstream",
        message: "Ollama's stream broke off.",
      });
    }
  });

  test("that fails says why and of what kind", async () => {
    const begun = (await linesOf("text")).slice(0, 2);
    const failed = (error: string) => thrownBy(() => stream([...begun, line({ error })]));
    expect(failed("an error was encountered while running the model")).toMatchObject({
      kind: "upstream",
      message: "Ollama: an error was encountered while running the model",
    });
    expect(failed("the input length exceeds the context length").kind).toBe("context_window");
    expect(thrownBy(() => stream([...begun, { name: null, data: "{half" }])).kind).toBe("upstream");
  });

  test("of anything gives chunks or a gateway error, never another exception", async () => {
    const fixtures = await Promise.all(Object.keys(ALL).map(linesOf));
    const parsed = fixtures.flat().map(({ data }) => JSON.parse(data) as unknown);
    const data = fc.oneof(
      fc.string(),
      fc.json(),
      ...parsed.map((one) => spoiled(one).map((x) => JSON.stringify(x) ?? "")),
    );
    const lines = fc.array(data.map((one) => ({ name: null, data: one })));
    const whole = fixtures.map((all) => all.map(({ data }) => JSON.parse(data) as unknown));
    const examples = whole.flatMap(tripped).filter(Array.isArray);
    fc.assert(
      fc.property(lines, (all) => expectAnswerOrGatewayError(() => stream(all))),
      always(examples.map((all) => all.map((one) => ({ name: null, data: JSON.stringify(one) })))),
    );
  });
});
