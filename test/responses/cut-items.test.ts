import { expect, test } from "bun:test";
import { eventsOf } from "../../src/lib/sse.ts";
import { events, json, type Raw, reply, startRaw } from "../gateway/raw-upstream.ts";

const usage = { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 };
const call = (index: number, given: string) => ({
  index,
  id: `call-${index}`,
  type: "function",
  function: { name: "f", arguments: given },
});
const WORDS = { content: "Let me" };
const THOUGHT = { reasoning_content: "Hm" };
const CALLS = { tool_calls: [call(0, "{}"), call(1, '{"a')] };

const ended = (finish: string) => ({ id: "c", choices: [{ index: 0, delta: {}, finish_reason: finish }], usage });
const streamed = (finish: string | null, ...deltas: readonly object[]): Raw => {
  const chunks = deltas.map((delta) => ({ id: "c", choices: [{ index: 0, delta, finish_reason: null }] }));
  const end = finish === null ? [] : [ended(finish), "[DONE]"];
  return { provider: "openai", sent: reply("200 OK", "text/event-stream", events(...chunks, ...end)) };
};
const whole = (message: object): Raw => ({
  provider: "openai",
  sent: json({ id: "c", choices: [{ index: 0, message, finish_reason: "length" }], usage }),
});

/** What an upstream sends, how the response ends, and how its items do; thoughts say nothing unless they are cut. */
const CUT: Record<string, readonly [sent: Raw, status: string, items: readonly (string | undefined)[]]> = {
  words: [whole(WORDS), "incomplete", ["incomplete"]],
  "calls behind words": [whole({ ...WORDS, ...CALLS }), "incomplete", ["completed", "completed", "incomplete"]],
  "streamed words": [streamed("length", THOUGHT, WORDS), "incomplete", [undefined, "incomplete"]],
  "streamed calls": [streamed("length", WORDS, CALLS), "incomplete", ["completed", "completed", "incomplete"]],
  "streamed calls in turns": [
    streamed("length", CALLS, { tool_calls: [{ index: 0, function: { arguments: " " } }] }),
    "incomplete",
    ["incomplete", "completed"],
  ],
  "streamed thoughts": [streamed("length", THOUGHT), "incomplete", ["incomplete"]],
  "streamed words that a signature follows": [
    streamed("length", THOUGHT, WORDS, { thinking_blocks: [{ type: "thinking", thinking: "Hm", signature: "s" }] }),
    "incomplete",
    [undefined, "incomplete"],
  ],
  "streamed words that are filtered": [streamed("content_filter", WORDS), "incomplete", ["incomplete"]],
  "streamed words that break off": [streamed(null, WORDS), "failed", ["incomplete"]],
  "streamed words that end": [streamed("stop", THOUGHT, WORDS), "completed", [undefined, "completed"]],
};
const raws = Object.entries(CUT).map(([name, [sent]]): [string, Raw] => [name, sent]);
const world = await startRaw(Object.fromEntries(raws));

type Item = { readonly status?: string };
type Answer = { readonly status: string; readonly output: readonly Item[] };

test.each(Object.entries(CUT))("the item in which an answer is cut says so: %s", async (name, [, status, items]) => {
  const stream = name.includes("streamed");
  const response = await world.post("/v1/responses", name, { input: "hi", stream });
  const told = stream ? eventsOf(await response.text()).map(({ data }) => JSON.parse(data)) : [];
  const answer = (stream ? told.at(-1).response : await response.json()) as Answer;
  expect(answer.status).toBe(status);
  expect(answer.output.map((item) => item.status)).toEqual([...items]);
  const done = told.filter(({ type }) => type === "response.output_item.done");
  if (stream) expect(done.map(({ item }) => item)).toEqual([...answer.output]);
});
