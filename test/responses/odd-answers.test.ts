import { describe, expect, test } from "bun:test";
import { eventsOf } from "../../src/lib/sse.ts";
import { events, json, type Raw, reply, startRaw } from "../gateway/raw-upstream.ts";

const usage = { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 };
const choice = (message: object, index = 0) => ({ index, message, finish_reason: "stop" });
const whole = (choices: readonly unknown[], given: object = usage) => json({ id: "c", choices, usage: given });
const piece = (delta: object, index = 0) => ({ id: "c", choices: [{ index, delta, finish_reason: null }] });
const end = { id: "c", choices: [{ index: 0, delta: {}, finish_reason: "stop" }] };
const stream = (...chunks: readonly object[]) =>
  reply("200 OK", "text/event-stream", events(...chunks, end, { id: "c", choices: [], usage }, "[DONE]"));
const call = (id: string, given: unknown = "{}") => ({
  id,
  type: "function",
  function: { name: id, arguments: given },
});
const said = (text: string) => [{ type: "message", content: [{ type: "output_text", text }] }];
const called = (...ids: string[]) =>
  ids.map((id) => ({ type: "function_call", call_id: id, name: id, arguments: "{}" }));

const ANSWERS: Record<string, readonly [sent: Uint8Array, output: readonly object[]]> = {
  "words in parts": [whole([choice({ content: [{ type: "text", text: "hey" }] })]), said("hey")],
  "words in streamed parts": [stream(piece({ content: [{ type: "text", text: "hey" }] })), said("hey")],
  "several answers": [whole([choice({ content: "A" }), choice({ content: "B" }, 1)]), said("A")],
  "several streamed answers": [stream(piece({ content: "A" }), piece({ content: "B" }, 1)), said("A")],
  "no answer": [whole([null]), []],
  "no total": [whole([choice({ content: "hey" })], { prompt_tokens: 3, completion_tokens: 4 }), said("hey")],
  "a call that is no list": [whole([choice({ content: "hey", tool_calls: {} })]), said("hey")],
  "arguments that are no text": [whole([choice({ content: null, tool_calls: [call("a", {})] })]), called("a")],
  "streamed calls without places": [
    stream(piece({ tool_calls: [call("a", "{")] }), piece({ tool_calls: [{ function: { arguments: "}" } }] }), {
      ...piece({ tool_calls: [call("b")] }),
    }),
    called("a", "b"),
  ],
};
const raws = Object.entries(ANSWERS).map(([name, [sent]]): [string, Raw] => [name, { provider: "openai", sent }]);
const world = await startRaw(Object.fromEntries(raws));

describe("what a provider answers oddly is paid for, and told as far as it is understood:", () => {
  test.each(Object.entries(ANSWERS))("%s", async (name, [, output]) => {
    const response = await world.post("/v1/responses", name, { input: "hi", stream: name.includes("streamed") });
    expect(response.status).toBe(200);
    const answer = name.includes("streamed") ? lastOf(await response.text()) : await response.json();
    expect(answer).toMatchObject({
      status: "completed",
      output,
      usage: { input_tokens: 3, output_tokens: 4, total_tokens: 7 },
    });
    expect((answer as { output: unknown[] }).output).toHaveLength(output.length);
  });
});

const lastOf = (text: string): unknown =>
  (JSON.parse(eventsOf(text).at(-1)?.data ?? "{}") as { response?: unknown }).response;
