import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { always, tripped } from "../../../test/upstreams/hostile.ts";
import type { ChatAnswer, ChatChunk, ToolCallDelta } from "../../contract/chat.ts";
import { GatewayError } from "../../contract/errors.ts";
import { openAiLike } from "./table.ts";

const chat = openAiLike.find(({ id }) => id === "mistral")?.chat;
const request = { model: "group", messages: [] };
const facts = { id: "chatcmpl-1", createdSeconds: 5, model: "group" };

const read = (name: string) => readFileSync(join(import.meta.dir, "fixtures", name), "utf8");
const decode = (body: unknown): ChatAnswer => {
  const answer = chat?.decode?.(body, request, facts);
  if (!answer) throw new Error("no decode");
  return answer;
};

function decodeStream(events: readonly string[]): ChatChunk[] {
  const decoder = chat?.stream?.decoder(request, facts);
  if (!decoder) throw new Error("no decoder");
  return [...events.flatMap((data) => decoder.push({ name: null, data })), ...decoder.end()];
}

const eventsOf = (text: string) => text.split("\n\n").flatMap((event) => (event === "" ? [] : [event.slice(6)]));

/** A plain answer of the chunks, put together as a client does. */
function accumulate(chunks: readonly ChatChunk[]) {
  const message: Record<string, unknown> = {};
  const calls: Record<string, unknown>[] = [];
  let finish: string | null = null;
  for (const { choices } of chunks) {
    for (const { delta, finish_reason } of choices) {
      finish = finish_reason ?? finish;
      const { tool_calls, ...texts } = delta;
      for (const [name, value] of Object.entries(texts)) message[name] = `${message[name] ?? ""}${value}`;
      for (const call of (tool_calls ?? []) as ToolCallDelta[]) calls[call.index] = { ...call };
    }
  }
  if (calls.length > 0) message.tool_calls = calls;
  const usage = chunks.find((chunk) => chunk.usage)?.usage;
  return { id: chunks[0]?.id, message, finish, usage };
}

describe("Mistral's answers", () => {
  test("have their thoughts apart from their text", () => {
    expect(decode(JSON.parse(read("mistral-thinking.json")))).toEqual({
      id: "b5d3a1f0c9e84f7a8a1b",
      object: "chat.completion",
      created: 5,
      model: "group",
      choices: [
        {
          index: 0,
          message: { role: "assistant", content: "It is 4.", reasoning_content: "Two and two make four." },
          finish_reason: "stop",
        },
      ],
      usage: { prompt_tokens: 12, completion_tokens: 20, total_tokens: 32 },
    });
  });

  test.each(["mistral-thinking", "mistral-tools"])("are the same streamed as at once: %s", (name) => {
    const { id, choices, usage } = decode(JSON.parse(read(`${name}.json`)));
    const streamed = accumulate(decodeStream(eventsOf(read(`${name}.sse`))));
    const { message, finish_reason } = choices[0] ?? {};
    expect(streamed as object).toEqual({ id, message, finish: finish_reason, usage });
  });

  test("begin with the role, end each choice with an empty delta, and tell the usage by itself", () => {
    const chunks = decodeStream(eventsOf(read("mistral-tools.sse")));
    expect(chunks[0]?.choices[0]?.delta.role).toBe("assistant");
    expect(chunks.slice(1).every(({ choices }) => choices[0]?.delta.role === undefined)).toBe(true);
    expect(chunks.at(-2)?.choices[0]).toEqual({ index: 0, delta: {}, finish_reason: "tool_calls" });
    expect(chunks.at(-1)?.choices).toEqual([]);
  });

  test("stop with a failure when the stream says so, breaks off or talks nonsense", () => {
    const [first = ""] = eventsOf(read("mistral-tools.sse"));
    expect(() => decodeStream([first])).toThrow("Mistral's stream broke off.");
    expect(() => decodeStream([first, '{"object":"error","message":"boom"}'])).toThrow("Mistral: boom");
    expect(() => decodeStream([first, "{half"])).toThrow(GatewayError);
    expect(() => decodeStream([first, "[]"])).toThrow(GatewayError);
  });

  test("are never another exception, whatever they are", () => {
    const part = fc.record({ type: fc.constantFrom("text", "thinking"), text: fc.anything(), thinking: fc.anything() });
    const message = fc.record({ content: fc.oneof(fc.anything(), fc.array(part)), tool_calls: fc.anything() });
    const choice = fc.record({ index: fc.anything(), message, delta: message, finish_reason: fc.anything() });
    const body = fc.oneof(fc.anything(), fc.record({ choices: fc.array(choice), usage: fc.anything() }));
    const holds = (run: () => unknown) => {
      try {
        run();
      } catch (thrown) {
        expect(thrown).toBeInstanceOf(GatewayError);
      }
    };
    const plain = ["mistral-thinking.json", "mistral-tools.json"].map((name) => JSON.parse(read(name)));
    const events = ["mistral-thinking.sse", "mistral-tools.sse"].flatMap((name) => eventsOf(read(name)));
    const parsed = events.filter((data) => data.startsWith("{")).map((data) => JSON.parse(data));
    fc.assert(
      fc.property(body, (given) => holds(() => decode(given))),
      always([...plain, { choices: [{ message: {}, finish_reason: "stop" }] }].flatMap(tripped)),
    );
    fc.assert(
      fc.property(fc.jsonValue(), (event) => {
        holds(() => decodeStream([JSON.stringify(event)]));
        holds(() => decodeStream([JSON.stringify({ choices: [event], usage: event })]));
      }),
      always(parsed.flatMap(tripped) as never[]),
    );
  });
});
