import { describe, expect, test } from "bun:test";
import { startBooked } from "./booked-app.ts";

/** Most of the prompt came from the cache; both upstreams say so before the answer has ended. */
const CACHED = 90_000;
const PROMPT = 100_000;

const event = (data: object): string => `data: ${JSON.stringify(data)}\n\n`;
const BEGINNINGS = {
  claude: [
    event({
      type: "message_start",
      message: {
        id: "msg_1",
        role: "assistant",
        content: [],
        usage: { input_tokens: PROMPT - CACHED, cache_read_input_tokens: CACHED, output_tokens: 1 },
      },
    }),
    event({ type: "content_block_start", index: 0, content_block: { type: "text", text: "" } }),
    event({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "one two three four" } }),
  ],
  gemini: [
    event({
      candidates: [{ content: { parts: [{ text: "one two three four" }], role: "model" }, index: 0 }],
      usageMetadata: {
        promptTokenCount: PROMPT,
        cachedContentTokenCount: CACHED,
        candidatesTokenCount: 4,
        thoughtsTokenCount: 700,
      },
    }),
  ],
};

/** Says how an answer begins, and then breaks off, or says nothing more until the caller has left. */
const upstream = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  development: false,
  async fetch(request) {
    const name = request.url.includes("gemini") ? "gemini" : "claude";
    const stays = (await request.text()).includes("stay");
    const body = new ReadableStream<string>({
      start(controller) {
        for (const one of BEGINNINGS[name]) controller.enqueue(one);
        if (!stays) controller.close();
      },
    });
    return new Response(body, { headers: { "content-type": "text/event-stream" } });
  },
});
const address = `http://127.0.0.1:${upstream.port}`;
const prices = {
  input_cost_per_token: "0.000003",
  output_cost_per_token: "0.000015",
  cache_read_input_token_cost: "0.0000003",
};
const { app, books } = await startBooked(
  {
    model_list: [
      ["claude", "anthropic/claude-sonnet-4-5"],
      ["gemini", "gemini/gemini-2.5-flash"],
    ].map(([model_name, model]) => ({
      model_name,
      litellm_params: { model, api_base: address, api_key: "sk-upstream" },
      model_info: prices,
    })),
    router_settings: { num_retries: 0 },
  },
  upstream,
);

const ask = (model: string, content: string): Promise<Response> =>
  app.call("/v1/chat/completions", {
    key: app.first.demoKey ?? "",
    json: { model, messages: [{ role: "user", content }], stream: true },
  });

const INPUT = 10_000n * 3_000n + 90_000n * 300n;

describe.each([
  ["claude", 5],
  ["gemini", 704],
] as const)("what %s told of its tokens before the end", (model, tokens) => {
  test("is what an answer that broke off is charged by", async () => {
    expect(await (await ask(model, "hello")).text()).toContain('"error"');
    const record = await books.last();
    expect(record).toMatchObject({ status: "partial", promptTokens: PROMPT, cachedTokens: CACHED, estimated: true });
    expect(record.completionTokens).toBe(tokens);
    expect(record.cost).toBe(INPUT + BigInt(tokens) * 15_000n);
  });

  test("is what a caller that leaves is charged by", async () => {
    const reader = (await ask(model, "stay")).body?.getReader();
    let said = "";
    while (!said.includes("one two")) said += Buffer.from((await reader?.read())?.value ?? []).toString();
    await reader?.cancel();
    const record = await books.last();
    expect(record).toMatchObject({ status: "cancelled", promptTokens: PROMPT, cachedTokens: CACHED, estimated: true });
    expect(record.cost).toBe(INPUT + BigInt(tokens) * 15_000n);
  });
});
