import { expect, test } from "bun:test";
import { startBooked } from "./booked-app.ts";

/** An upstream that counts as the message says. */
const upstream = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  development: false,
  async fetch(request) {
    const { stream, messages } = (await request.json()) as { stream?: boolean; messages: { content: string }[] };
    const head = { id: "chatcmpl-1", created: 1, model: "m" };
    const usage = JSON.parse(messages[0]?.content ?? "{}") as object;
    const message = { role: "assistant", content: "one two" };
    if (stream !== true) {
      const choices = [{ index: 0, message, finish_reason: "stop" }];
      return Response.json({ ...head, object: "chat.completion", choices, usage });
    }
    const chunk = (fields: object) =>
      `data: ${JSON.stringify({ ...head, object: "chat.completion.chunk", ...fields })}\n\n`;
    const said = chunk({ choices: [{ index: 0, delta: message, finish_reason: "stop" }] });
    return new Response(`${said}${chunk({ choices: [], usage })}data: [DONE]\n\n`, {
      headers: { "content-type": "text/event-stream" },
    });
  },
});
const PROVIDERS = ["openai", "xai", "deepseek", "moonshot"];
const { app, books } = await startBooked(
  {
    model_list: PROVIDERS.map((provider) => ({
      model_name: provider,
      litellm_params: { model: `${provider}/m`, api_base: `http://127.0.0.1:${upstream.port}/v1`, api_key: "sk-x" },
      model_info: {
        input_cost_per_token: "0.000001",
        cache_read_input_token_cost: "0.0000001",
        output_cost_per_token: "0.000002",
      },
    })),
  },
  upstream,
);

const thought = { completion_tokens_details: { reasoning_tokens: 94 } };

test.each([
  [
    "xai",
    "what was thought beside what was said",
    { prompt_tokens: 32, completion_tokens: 9, total_tokens: 135, ...thought },
    { promptTokens: 32, completionTokens: 103, reasoningTokens: 94, cost: 238_000n },
  ],
  [
    "openai",
    "what was thought among what was said",
    { prompt_tokens: 32, completion_tokens: 103, total_tokens: 135, ...thought },
    { promptTokens: 32, completionTokens: 103, reasoningTokens: 94, cost: 238_000n },
  ],
  [
    "openai",
    "more thoughts than there was of the answer",
    { prompt_tokens: 32, completion_tokens: 9, total_tokens: 41, ...thought },
    { completionTokens: 9, reasoningTokens: 9, cost: 50_000n },
  ],
  [
    "deepseek",
    "what its cache had",
    {
      prompt_tokens: 1000,
      completion_tokens: 10,
      total_tokens: 1010,
      prompt_cache_hit_tokens: 900,
      prompt_cache_miss_tokens: 100,
    },
    { cachedTokens: 900, cost: 210_000n },
  ],
  [
    "moonshot",
    "what its cache had",
    { prompt_tokens: 1000, completion_tokens: 10, total_tokens: 1010, cached_tokens: 900 },
    { cachedTokens: 900, cost: 210_000n },
  ],
] as const)("%s tells %s in a way of its own, and it is charged", async (model, _, usage, charged) => {
  for (const stream of [false, true]) {
    const json = { model, messages: [{ role: "user", content: JSON.stringify(usage) }], stream };
    const response = await app.call("/v1/chat/completions", { key: app.first.demoKey ?? "", json });
    await response.text();
    expect(response.status).toBe(200);
    expect(await books.last()).toMatchObject({ status: "succeeded", estimated: false, ...charged });
  }
});
