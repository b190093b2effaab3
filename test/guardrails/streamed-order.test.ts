import { afterAll, describe, expect, test } from "bun:test";
import { eventsOf, SSE_DONE } from "../../src/lib/sse.ts";
import { MASTER_KEY, startApp } from "../app.ts";

type Fields = Record<string, unknown>;

const head = { id: "x", created: 1, model: "m", object: "chat.completion.chunk" };
const frame = (delta: object, finish_reason: string | null = null): string =>
  `data: ${JSON.stringify({ ...head, choices: [{ index: 0, delta, finish_reason }] })}\n\n`;
/** What the upstream says next. */
let deltas: readonly object[] = [];
const upstream = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  development: false,
  fetch: () =>
    new Response([...deltas.map((delta) => frame(delta)), frame({}, "stop"), "data: [DONE]\n\n"].join(""), {
      headers: { "content-type": "text/event-stream" },
    }),
});
/** What a judge was asked. */
const judged: string[] = [];
const hook = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  development: false,
  async fetch(request) {
    judged.push(await request.text());
    return Response.json({ findings: [] });
  },
});
const entry = (guardrail_name: string, params: object) => ({
  guardrail_name,
  litellm_params: { mode: "post_call", ...params },
});
const app = await startApp(
  JSON.stringify({
    model_list: [
      {
        model_name: "g",
        litellm_params: { model: "hosted_vllm/q", api_base: `http://127.0.0.1:${upstream.port}/v1`, api_key: "k" },
        model_info: { free: true },
      },
    ],
    guardrails: [
      entry("personal", { guardrail: "pii" }),
      entry("words", { guardrail: "word_list", words: ["falcon"] }),
      // Holds back all that is said here.
      entry("numbers", { guardrail: "regex", patterns: ["EMP-[0-9]+"], action: "mask" }),
      entry("short", { guardrail: "regex", patterns: ["EMP-[0-9]+"], max_match_chars: 9 }),
      entry("judge", { guardrail: "webhook", api_base: hook.url.href, secret: "s", window_chars: 9 }),
    ],
  }),
);
afterAll(async () => {
  await app.close();
  await Promise.all([upstream.stop(true), hook.stop(true)]);
});

const call = (index: number, args: string) => ({ tool_calls: [{ index, function: { arguments: args } }] });
const begin = (index: number) => ({
  tool_calls: [{ index, id: `c${index}`, type: "function", function: { name: "f", arguments: "" } }],
});
const USER = { role: "user", content: "hello" };

async function events(path: string, json: object): Promise<Fields[]> {
  const response = await app.call(path, { key: MASTER_KEY, json: { model: "g", stream: true, ...json } });
  expect(response.status).toBe(200);
  const frames = [...eventsOf(await response.text())].filter(({ data }) => data !== SSE_DONE);
  return frames.map(({ data }) => JSON.parse(data) as Fields);
}

/** The blocks of a message, each as it is when it stops. */
async function blocks(guardrail: string): Promise<Fields[]> {
  const tools = [{ name: "f", input_schema: { type: "object" } }];
  const thinking = { type: "enabled", budget_tokens: 1024 };
  const json = { messages: [USER], max_tokens: 2000, thinking, tools, guardrails: [guardrail] };
  const open = new Map<unknown, Fields>();
  const stopped: Fields[] = [];
  for (const { type, index, content_block, delta } of await events("/v1/messages", json)) {
    if (type === "content_block_start") open.set(index, { ...(content_block as Fields), input: "" });
    const block = open.get(index) ?? {};
    if (type === "content_block_stop") {
      const { type: kind, text, thinking: thought, input } = block;
      stopped.push({ [String(kind)]: text ?? thought ?? input });
      open.delete(index);
    }
    if (type !== "content_block_delta") continue;
    expect(open.has(index)).toBe(true);
    const { text, thinking: thought, partial_json } = delta as Record<string, string>;
    if (text !== undefined) block.text += text;
    if (thought !== undefined) block.thinking += thought;
    if (partial_json !== undefined) block.input += partial_json;
  }
  return stopped;
}

const thought = (text: string) => ({ reasoning_content: text });
const said = (text: string) => ({ content: text });

describe.each(["personal", "words", "numbers"])("with %s on the answer, the blocks of a message", (guardrail) => {
  test("are whole when the next one begins", async () => {
    deltas = [
      ...[{ role: "assistant" }, thought("I should look it"), thought(" up."), said("I will look"), said(" it up.")],
      ...[begin(0), call(0, '{"a": '), call(0, "12}"), begin(1), call(1, '{"b": "x y"}')],
      ...[thought("And then"), thought(" tell."), said("It is"), said(" fine.")],
    ];
    expect(await blocks(guardrail)).toEqual([
      { thinking: "I should look it up." },
      { text: "I will look it up." },
      { tool_use: '{"a": 12}' },
      { tool_use: '{"b": "x y"}' },
      { thinking: "And then tell." },
      { text: "It is fine." },
    ]);
  });

  test("are whole where one chunk has several", async () => {
    deltas = [{ ...thought("I should look."), ...said("I will look it up."), ...begin(0) }, call(0, '{"a": "b"}')];
    expect(await blocks(guardrail)).toEqual([
      { thinking: "I should look." },
      { text: "I will look it up." },
      { tool_use: '{"a": "b"}' },
    ]);
  });
});

test("arguments that come in turns are looked at as the JSON that they are", async () => {
  deltas = [begin(0), call(0, '{"to": "bob@exam'), begin(1), call(1, '{"n": 4111111111111111, '), call(0, 'ple.com"}')];
  deltas = [...deltas, call(1, '"m": "x"}')];
  const json = {
    messages: [USER],
    guardrails: ["personal"],
    max_tokens: 100,
    tools: [{ name: "f", input_schema: {} }],
  };
  const inputs = ["", "", ""];
  for (const { index, delta } of await events("/v1/messages", json)) {
    const { partial_json } = (delta ?? {}) as Record<string, string>;
    if (partial_json) inputs[Number(index)] += partial_json;
  }
  expect(inputs.filter((input) => input !== "").map((input) => JSON.parse(input))).toEqual([
    { to: "[EMAIL_1]" },
    { n: "[CREDIT_CARD_1]", m: "x" },
  ]);
});

test("the thoughts of a response are one text, told before what follows from them", async () => {
  deltas = [thought("I should look it"), thought(" up."), said("It is"), said(" fine.")];
  const told = await events("/v1/responses", { input: "hello", guardrails: ["personal"] });
  const thoughts = { type: "reasoning", summary: [{ type: "summary_text", text: "I should look it up." }] };
  expect(told.at(-1)).toMatchObject({ response: { output: [thoughts, { type: "message" }] } });
});

/** Everything that chunks say, each for itself. */
const pieces = async (guardrail: string): Promise<string[]> => {
  const chunks = await events("/v1/chat/completions", { messages: [USER], guardrails: [guardrail] });
  return chunks.map((chunk) => JSON.stringify(chunk));
};

describe("a character is not cut in two", () => {
  const HALF = /\\ud[89a-f]/;

  test("where a pattern holds back the end of a text", async () => {
    deltas = Array.from({ length: 4 }, () => said("😀😁😂😃😄😅😆"));
    const told = await pieces("short");
    expect(told.length).toBeGreaterThan(3);
    expect(told.join("")).not.toMatch(HALF);
  });

  test("where a judge sees the end of what was passed on once more", async () => {
    deltas = Array.from({ length: 30 }, (_, index) => said(index % 2 ? "😀😁😂😃😄😅😆" : "and words"));
    expect((await pieces("judge")).join("")).not.toMatch(HALF);
    expect(judged.length).toBeGreaterThan(20);
    expect(judged.join("")).not.toMatch(HALF);
  });

  test("where arguments have it as two escapes, in two pieces", async () => {
    const args = ['{"a": "x ', "\\ud83d", "\\ude00 \\", "ud83d\\u", "de01", '"}'];
    deltas = [begin(0), ...args.map((text) => call(0, text))];
    const told = await pieces("words");
    expect(told.join("")).not.toMatch(HALF);
    expect(told.join("")).toMatch(/😀.*😁/s);
  });
});
