import { afterAll, expect, test } from "bun:test";
import { MASTER_KEY, startApp } from "../app.ts";

const ADDRESS = "bob@example.com";
const said = {
  role: "assistant",
  content: null,
  tool_calls: [{ index: 0, id: "1", type: "custom", custom: { name: "f", input: `to ${ADDRESS}` } }],
  audio: { id: "a", transcript: `for ${ADDRESS}` },
  annotations: [{ type: "url_citation", url_citation: { title: ADDRESS } }],
  reasoning_details: [{ type: "text", text: ADDRESS }],
};
const head = { id: "x", created: 1, model: "m" };
const frame = (delta: object, finish_reason: string | null = null): string =>
  `data: ${JSON.stringify({ ...head, object: "chat.completion.chunk", choices: [{ index: 0, delta, finish_reason }] })}\n\n`;
/** Texts come in two pieces, with an address cut in the middle. */
const later = {
  tool_calls: [{ index: 0, custom: { input: ".org and so on" } }],
  audio: { transcript: ".org" },
};
const upstream = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  development: false,
  async fetch(request) {
    const { stream } = (await request.json()) as { stream?: boolean };
    const choices = [{ index: 0, message: said, finish_reason: "stop" }];
    if (!stream) return Response.json({ ...head, object: "chat.completion", choices });
    const frames = [frame(said), frame(later), frame({}, "stop"), "data: [DONE]\n\n"];
    return new Response(frames.join(""), { headers: { "content-type": "text/event-stream" } });
  },
});
const app = await startApp(
  JSON.stringify({
    model_list: [
      {
        model_name: "g",
        litellm_params: { model: "openai/gpt-4o", api_base: `http://127.0.0.1:${upstream.port}/v1`, api_key: "k" },
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

test.each([false, true])("whatever an answer says in passes guardrails (stream: %p)", async (stream) => {
  const json = { model: "g", stream, messages: [{ role: "user", content: "who?" }] };
  const response = await app.call("/v1/chat/completions", { key: MASTER_KEY, json });
  const text = await response.text();
  expect(response.status).toBe(200);
  expect(text).not.toContain("bob");
  expect(text).toContain("[EMAIL_1]");
  expect(text).toContain("transcript");
  // The last word is held back until the end.
  if (stream) expect(text).toMatch(/\[EMAIL_1\] and so ".*"input":"on"/s);
});
