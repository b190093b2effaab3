import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import { MASTER_KEY, startApp } from "../app.ts";

type Body = Record<string, unknown>;

/** What the model says, and the stop that it ended at. */
let answered: (asked: Body) => { text: string; stop?: unknown };
const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
const upstream = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  development: false,
  async fetch(request) {
    const asked = (await request.json()) as Body;
    const { text, stop = null } = answered(asked);
    if (request.url.endsWith("/messages")) return message(text, stop, asked.stream === true);
    const isChat = request.url.endsWith("/chat/completions");
    const said = isChat ? { [asked.stream ? "delta" : "message"]: { role: "assistant", content: text } } : { text };
    const choice = { index: 0, ...said, finish_reason: "stop", stop_reason: stop };
    const object = `${isChat ? "chat.completion" : "text_completion"}${asked.stream && isChat ? ".chunk" : ""}`;
    const answer = { id: "x", object, created: 1, model: "m", choices: [choice], usage };
    return asked.stream ? events([answer, "[DONE]"]) : Response.json(answer);
  },
});

const events = (all: readonly unknown[]): Response =>
  new Response(all.map((one) => `data: ${typeof one === "string" ? one : JSON.stringify(one)}\n\n`).join(""), {
    headers: { "content-type": "text/event-stream" },
  });

function message(text: string, stop_sequence: unknown, stream: boolean): Response {
  const ended = { stop_reason: stop_sequence === null ? "end_turn" : "stop_sequence", stop_sequence };
  const head = {
    id: "msg_1",
    type: "message",
    role: "assistant",
    model: "m",
    usage: { input_tokens: 1, output_tokens: 1 },
  };
  if (!stream) return Response.json({ ...head, content: [{ type: "text", text }], ...ended });
  return events([
    { type: "message_start", message: { ...head, content: [], stop_reason: null, stop_sequence: null } },
    { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
    { type: "content_block_delta", index: 0, delta: { type: "text_delta", text } },
    { type: "content_block_stop", index: 0 },
    { type: "message_delta", delta: ended, usage: { output_tokens: 1 } },
    { type: "message_stop" },
  ]);
}

const model = (model_name: string, upstreamModel: string, path = "") => ({
  model_name,
  litellm_params: { model: upstreamModel, api_base: `http://127.0.0.1:${upstream.port}${path}`, api_key: "k" },
  model_info: { free: true },
});
const quoted = { guardrail: "regex", action: "mask", patterns: [{ name: "quote", pattern: "<<[^>]*>>" }] };
const schema = { type: "object", properties: { said: { type: "string" } } };
const app = await startApp(
  JSON.stringify({
    model_list: [model("m", "hosted_vllm/m", "/v1"), model("claude", "anthropic/claude-sonnet-4-5")],
    guardrails: [
      { guardrail_name: "quotes", litellm_params: { ...quoted, default_on: true } },
      { guardrail_name: "fits", litellm_params: { guardrail: "json_schema", mode: "post_call", schema } },
    ],
  }),
);
afterAll(async () => {
  await app.close();
  await upstream.stop(true);
});

async function ask(path: string, json: object): Promise<string> {
  const response = await app.call(path, { key: MASTER_KEY, json });
  expect(response.status).toBe(200);
  return response.text();
}

const VALUE = '<<"one"\\\n and two>>';
const messages = [{ role: "user", content: VALUE }];

describe.each([false, true])("what was masked (stream: %p)", (stream) => {
  beforeEach(() => {
    answered = () => ({ text: '{"said": "[QUOTE_1]"}' });
  });

  const whole = (text: string): string => {
    if (!stream) {
      const [choice] = JSON.parse(text).choices;
      return choice.text ?? choice.message.content;
    }
    const frames = text.split("\n\n").filter((frame) => frame.startsWith("data: {"));
    const choices = frames.flatMap((frame) => JSON.parse(frame.slice(6)).choices);
    return choices.map(({ text: said, delta }) => said ?? delta.content ?? "").join("");
  };

  test.each([
    { guided_json: schema },
    { structured_outputs: { json: schema } },
    { structured_outputs: { json_object: true } },
    { format: "json" },
    { format: schema },
    { extra_body: { guided_json: schema } },
    { guardrails: ["fits"] },
  ])("is put back into the JSON that %j asks for, so that it stays JSON", async (fields) => {
    const chat = await ask("/v1/chat/completions", { model: "m", messages, stream, ...fields });
    expect(JSON.parse(whole(chat))).toEqual({ said: VALUE });
    const text = await ask("/v1/completions", { model: "m", prompt: VALUE, stream, ...fields });
    expect(JSON.parse(whole(text))).toEqual({ said: VALUE });
  });

  test("is put back as it is where no JSON is asked for", async () => {
    const structured_outputs = { regex: ".*" };
    const chat = await ask("/v1/chat/completions", { model: "m", messages, stream, structured_outputs });
    expect(whole(chat)).toBe(`{"said": "${VALUE}"}`);
  });

  test("is told as the stop that it was", async () => {
    answered = ({ stop, stop_sequences }) => ({ text: "so", stop: ((stop ?? stop_sequences) as unknown[])[1] });
    const stops = ["END", "<<that>>"];
    const chat = await ask("/v1/chat/completions", { model: "m", messages, stream, stop: stops });
    expect(chat).toContain('"stop_reason":"<<that>>"');
    for (const name of ["m", "claude"]) {
      const asked = { model: name, messages, stream, max_tokens: 9, stop_sequences: stops };
      expect(await ask("/v1/messages", asked)).toContain('"stop_sequence":"<<that>>"');
    }
  });
});
