import { describe, expect, test } from "bun:test";
import { MASTER_KEY } from "../app.ts";
import { startBooked } from "./booked-app.ts";

/** An upstream whose count, and whose name of the service, are what the message says: JSON text, put into the answer as it is. */
const upstream = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  development: false,
  async fetch(request) {
    const body = (await request.json()) as { stream?: boolean; messages: { content: string }[] };
    const { usage, early, tier } = JSON.parse(body.messages[0]?.content ?? "{}") as Record<string, string | undefined>;
    const head = `"id":"chatcmpl-1","created":1,"model":"m"${tier === undefined ? "" : `,"service_tier":"${tier}"`}`;
    const counted = (text: string | undefined) => (text === undefined ? "" : `,"usage":${text}`);
    if (body.stream !== true) {
      const message = `{"role":"assistant","content":"{\\"one\\": \\"two three four\\"}"}`;
      const text = `{${head},"object":"chat.completion","choices":[{"index":0,"message":${message},"finish_reason":"stop"}]${counted(usage)}}`;
      return new Response(text, { headers: { "content-type": "application/json" } });
    }
    const chunk = (choices: string, more = "") =>
      `data: {${head},"object":"chat.completion.chunk","choices":${choices}${more}}\n\n`;
    const frames = ["one", " two", " three", " four"].map((content) =>
      chunk(`[{"index":0,"delta":{"content":"${content}"},"finish_reason":null}]`, counted(early)),
    );
    const end = usage === undefined ? "" : chunk("[]", counted(usage));
    return new Response(`${frames.join("")}${end}data: [DONE]\n\n`, {
      headers: { "content-type": "text/event-stream" },
    });
  },
});
const price = {
  input_cost_per_token: "0.000001",
  output_cost_per_token: "0.000002",
  input_cost_per_token_flex: "0.0000005",
  output_cost_per_token_flex: "0.000001",
};
const { app, books } = await startBooked(
  {
    model_list: [
      {
        model_name: "doubtful",
        litellm_params: { model: "hosted_vllm/m", api_base: `http://127.0.0.1:${upstream.port}/v1` },
        model_info: price,
      },
      {
        model_name: "tiered",
        litellm_params: { model: "openai/m", api_base: `http://127.0.0.1:${upstream.port}/v1`, api_key: "sk-x" },
        model_info: price,
      },
    ],
  },
  upstream,
);

async function call(says: Record<string, string>, fields: object = {}, model = "doubtful"): Promise<Response> {
  const json = { model, messages: [{ role: "user", content: JSON.stringify(says) }], ...fields };
  const response = await app.call("/v1/chat/completions", { key: app.first.demoKey ?? "", json });
  await response.text();
  return response;
}

describe("a count that cannot be true is none, and the answer is counted here", () => {
  test.each([
    ["negative", '{"prompt_tokens":-10,"completion_tokens":-20}'],
    ["negative for the answer", '{"prompt_tokens":10,"completion_tokens":-20}'],
    ["no tokens for an answer that has some", '{"prompt_tokens":10,"completion_tokens":0}'],
    ["in fractions", '{"prompt_tokens":10.5,"completion_tokens":0.4}'],
    ["text", '{"prompt_tokens":"10","completion_tokens":"20"}'],
    ["larger than any call", '{"prompt_tokens":1e308,"completion_tokens":1e308}'],
    ["endless", '{"prompt_tokens":1e999,"completion_tokens":1e999}'],
    ["without the prompt", '{"completion_tokens":20}'],
    ["without the answer", '{"prompt_tokens":10}'],
    ["nothing", "null"],
    ["a list", "[]"],
  ])("%s", async (_, usage) => {
    for (const stream of [false, true]) {
      expect((await call({ usage }, { stream })).status).toBe(200);
      const record = await books.last();
      expect(record).toMatchObject({ status: "succeeded", estimated: true });
      expect(record.promptTokens).toBeGreaterThan(5);
      expect(record.completionTokens).toBeGreaterThanOrEqual(4);
      expect(record.completionTokens).toBeLessThan(20);
      expect(record.cost).toBe(BigInt(record.promptTokens) * 1_000n + BigInt(record.completionTokens) * 2_000n);
    }
  });

  test("of a prompt of nothing what it says of the answer is true all the same", async () => {
    const usage =
      '{"prompt_tokens":0,"completion_tokens":500,"completion_tokens_details":{"reasoning_tokens":480},"total_tokens":500}';
    for (const stream of [false, true]) {
      await call({ usage }, { stream });
      const record = await books.last();
      expect(record).toMatchObject({ estimated: true, completionTokens: 500, reasoningTokens: 480 });
      expect(record.promptTokens).toBeGreaterThan(5);
    }
  });

  test("a stream that counts nothing while it runs, and has no other count, is not free", async () => {
    await call({ early: '{"prompt_tokens":10,"completion_tokens":0}' }, { stream: true });
    expect(await books.last()).toMatchObject({ status: "succeeded", estimated: true, completionTokens: 4 });
  });

  test("one that comes at the end takes the place of those before", async () => {
    const early = '{"prompt_tokens":10,"completion_tokens":0}';
    await call({ early, usage: '{"prompt_tokens":10,"completion_tokens":9}' }, { stream: true });
    expect(await books.last()).toMatchObject({ estimated: false, promptTokens: 10, completionTokens: 9 });
  });
});

describe("a cheaper service", () => {
  const usage = '{"prompt_tokens":10,"completion_tokens":4}';

  test("that is asked for is charged as such only where the upstream says that it gave it", async () => {
    for (const stream of [false, true]) {
      await call({ usage }, { stream, service_tier: "flex" }, "tiered");
      expect(await books.last()).toMatchObject({ cost: 18_000n });
      await call({ usage, tier: "flex" }, { stream, service_tier: "flex" }, "tiered");
      expect(await books.last()).toMatchObject({ cost: 9_000n });
    }
  });
});

test("an answer that does not fit the schema is charged: the upstream has given it", async () => {
  const schema = { type: "object", required: ["missing"] };
  const fields = {
    response_format: { type: "json_schema", json_schema: { name: "a", schema } },
    enable_json_schema_validation: true,
  };
  const response = await call({ usage: '{"prompt_tokens":10,"completion_tokens":4}' }, fields);
  expect(response.status).toBe(500);
  expect(await books.last()).toMatchObject({ status: "partial", errorCode: "json_schema_validation", cost: 18_000n });
  expect(books.closed.at(-1)).toBe(18_000n);
});

test.each([{ max_completion_tokens: 1.23456 }, { best_of: 1.23456 }, { max_completion_tokens: 1e-9 }])(
  "a fraction where a count is wanted (%j) is no fault of ours",
  async (fields) => {
    expect((await call({ usage: '{"prompt_tokens":10,"completion_tokens":4}' }, fields)).status).toBe(200);
  },
);

describe("usage that a request does not allow is not charged", () => {
  test.each([
    ["a prompt of a billion tokens", '{"prompt_tokens":1000000000,"completion_tokens":4}', {}],
    ["a response beyond its limit", '{"prompt_tokens":20,"completion_tokens":1000000}', { max_tokens: 20 }],
  ])("%s", async (_, usage, fields) => {
    await call({ usage }, fields);
    const { promptTokens, completionTokens, estimated, cost } = await books.last();
    expect({ estimated, isSmall: promptTokens < 100 && completionTokens < 100 }).toEqual({
      estimated: true,
      isSmall: true,
    });
    expect(cost).toBeLessThan(1_000_000n);
    expect(app.logged.some((line) => line.includes("more tokens than the request allows"))).toBe(true);
    const metrics = await (await app.call("/metrics", { key: MASTER_KEY })).text();
    expect(metrics).toMatch(/^turnpike_impossible_usage_total\{model_group="doubtful"\} [12]$/m);
  });
});
