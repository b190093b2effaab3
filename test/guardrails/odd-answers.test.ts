import { afterAll, expect, test } from "bun:test";
import { MASTER_KEY, startApp } from "../app.ts";

const ADDRESS = "bob@example.com";
const called = { id: "1", type: "function", function: { name: "f", arguments: { to: ADDRESS, from: ["ann"] } } };
/** Forms that OpenAI does not have, and servers of its form do. */
const MESSAGES = {
  "a part of its own": { content: { type: "text", text: `to ${ADDRESS}` } },
  "texts in a list": { content: [`to ${ADDRESS}`, { type: "text", text: "now" }] },
  "texts in lists of a part": { content: [{ type: "told", told: [["who"], [`to ${ADDRESS}`]] }] },
  "arguments that are an object": { content: null, tool_calls: [called] },
  "arguments of the old form that are one": { content: null, function_call: called.function },
};
let message: object = {};
const head = { id: "x", created: 1, model: "m" };
const upstream = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  development: false,
  async fetch(request) {
    const { stream } = (await request.json()) as { stream?: boolean };
    const choices = [{ index: 0, message, finish_reason: "stop" }];
    if (!stream) return Response.json({ ...head, object: "chat.completion", choices });
    const frame = (delta: object, finish_reason: string | null) =>
      `data: ${JSON.stringify({ ...head, object: "chat.completion.chunk", choices: [{ index: 0, delta, finish_reason }] })}\n\n`;
    return new Response(`${frame(message, null)}${frame({}, "stop")}data: [DONE]\n\n`, {
      headers: { "content-type": "text/event-stream" },
    });
  },
});
const app = await startApp(
  JSON.stringify({
    model_list: [
      {
        model_name: "m",
        litellm_params: { model: "hosted_vllm/m", api_base: `http://127.0.0.1:${upstream.port}/v1`, api_key: "k" },
        model_info: { free: true },
      },
    ],
    guardrails: [{ guardrail_name: "pii", litellm_params: { guardrail: "pii", mode: "post_call", default_on: true } }],
  }),
);
afterAll(async () => {
  await app.close();
  await upstream.stop(true);
});

const cases = Object.keys(MESSAGES).flatMap((form) => [false, true].map((stream) => [form, stream] as const));

test.each(cases)("an answer with %s is looked at as any other (stream: %p)", async (form, stream) => {
  message = { role: "assistant", ...MESSAGES[form as keyof typeof MESSAGES] };
  const json = { model: "m", stream, messages: [{ role: "user", content: "who?" }] };
  const response = await app.call("/v1/chat/completions", { key: MASTER_KEY, json });
  const text = await response.text();
  expect(response.status).toBe(200);
  expect(text).not.toContain("bob");
  expect(text).toContain("[EMAIL_1]");
});
