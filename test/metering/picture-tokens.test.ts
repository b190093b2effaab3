import { expect, test } from "bun:test";
import { formsOf, type Parts, startFormUpstream } from "../gateway/form-upstream.ts";
import { startBooked } from "./booked-app.ts";

const upstream = startFormUpstream([() => new Response(null, { status: 500 })]);
const litellm_params = { model: "openai/mine", api_base: `${upstream.origin}/v1`, api_key: "sk-upstream" };
const usual = { mode: "image_generation", input_cost_per_token: 0.000005, output_cost_per_token: 0.00004 };
const { app, books } = await startBooked(
  {
    model_list: [
      { model_name: "one-price", litellm_params, model_info: usual },
      { model_name: "dearer", litellm_params, model_info: { ...usual, input_cost_per_image_token: 0.00001 } },
      { model_name: "cheaper", litellm_params, model_info: { ...usual, input_cost_per_image_token: 0.000001 } },
      { model_name: "for-nothing", litellm_params, model_info: { ...usual, input_cost_per_image_token: 0 } },
      { model_name: "drawn", litellm_params, model_info: { ...usual, output_cost_per_image_token: 0.00008 } },
      {
        model_name: "drawn-alone",
        litellm_params,
        model_info: { mode: "image_generation", input_cost_per_token: 0.000005, output_cost_per_image_token: 0.00008 },
      },
      {
        model_name: "chat-that-draws",
        litellm_params: { model: "gemini/mine", api_base: upstream.origin, api_key: "k" },
        model_info: { ...usual, mode: "chat", output_cost_per_image_token: 0.00008 },
      },
      {
        model_name: "by-picture",
        litellm_params,
        model_info: { ...usual, output_cost_per_image: 0.01, input_cost_per_image_token: 0.00001 },
      },
    ],
  },
  upstream,
);
const key = app.first.demoKey ?? "";
const formOf = formsOf("image/png");
const png = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);
const told = (details: object) => () =>
  Response.json({
    data: [{ b64_json: "aaaa" }],
    usage: { input_tokens: 350, output_tokens: 100, total_tokens: 450, input_tokens_details: details },
  });

async function edited(model: string, details: object) {
  upstream.answer(told(details));
  const parts: Parts = [
    ["image", [png, "a.png"]],
    ["model", model],
    ["prompt", "a lake"],
  ];
  const response = await app.call("/v1/images/edits", { key, body: formOf(parts) });
  expect([response.status, await response.json()]).toEqual([
    200,
    expect.objectContaining({ data: [{ b64_json: "aaaa" }] }),
  ]);
  const record = await books.last();
  expect(books.held.at(-1)?.amount).toBeGreaterThanOrEqual(record.cost);
  return { ...record, shown: response.headers.get("x-gw-response-cost") };
}

const DETAILS = { text_tokens: 50, image_tokens: 300 };

// In micro-USD: 50 of text at 5, 300 of the picture, and 100 that were drawn at 40.
test.each([
  ["one-price", 250 + 300 * 5 + 4_000],
  ["dearer", 250 + 300 * 10 + 4_000],
  ["cheaper", 250 + 300 * 1 + 4_000],
  ["for-nothing", 250 + 4_000],
  ["by-picture", 10_000],
])("the tokens of given pictures are charged at the price that they have: %s", async (model, microUsd) => {
  const { cost, shown, promptTokens, estimated } = await edited(model, DETAILS);
  expect([cost, Number(shown), promptTokens, estimated]).toEqual([
    BigInt(microUsd) * 1_000n,
    microUsd / 1e6,
    350,
    false,
  ]);
});

test("what they came to is a line of the call's cost", async () => {
  const { costParts } = await edited("dearer", DETAILS);
  expect(costParts.map(({ component, thousandths, nanoUsd }) => [component, thousandths, nanoUsd])).toEqual([
    ["input", 50_000n, 250_000n],
    ["image_input", 300_000n, 3_000_000n],
    ["image_output", 100_000n, 4_000_000n],
  ]);
});

test("there are never more of them than of the input, and what a cache had is charged as such", async () => {
  expect(await edited("dearer", { image_tokens: 9_999 })).toMatchObject({ cost: 7_500_000n });
  expect(await edited("dearer", { image_tokens: -4 })).toMatchObject({ cost: 5_750_000n });
  expect(await edited("dearer", { image_tokens: 300, cached_tokens: 100 })).toMatchObject({ cost: 7_000_000n });
});

test.each([
  ["drawn", { output_tokens: 100 }, 1_750 + 100 * 80],
  [
    "drawn",
    { output_tokens: 100, output_tokens_details: { image_tokens: 90, text_tokens: 10 } },
    1_750 + 90 * 80 + 10 * 40,
  ],
  ["drawn", { output_tokens: 100, output_tokens_details: { text_tokens: 10 } }, 1_750 + 90 * 80 + 10 * 40],
  ["drawn", { output_tokens: 100, output_tokens_details: { image_tokens: 900 } }, 1_750 + 100 * 80],
  ["drawn-alone", { output_tokens: 100 }, 1_750 + 100 * 80],
])("what is drawn is charged at the price of its own tokens: %s, %j", async (model, counted, microUsd) => {
  upstream.answer(() => Response.json({ data: [{ b64_json: "aaaa" }], usage: { input_tokens: 350, ...counted } }));
  const response = await app.call("/v1/images/generations", { key, json: { model, prompt: "a lake" } });
  expect(response.status).toBe(200);
  const { cost } = await books.last();
  expect(cost).toBe(BigInt(microUsd) * 1_000n);
  expect(books.held.at(-1)?.amount).toBeGreaterThanOrEqual(cost);
});

test.each(["drawn", "one-price"])("pictures that nobody counted are not for nothing: %s", async (model) => {
  upstream.answer(() => Response.json({ data: [{ b64_json: "aaaa" }, { b64_json: "bbbb" }] }));
  const response = await app.call("/v1/images/generations", { key, json: { model, prompt: "a lake", n: 2 } });
  expect(response.status).toBe(200);
  const { cost, completionTokens, estimated } = await books.last();
  expect([completionTokens, estimated]).toEqual([2 * 1_056, true]);
  expect(cost).toBeGreaterThan(2n * 1_056n * (model === "drawn" ? 80_000n : 40_000n));
});

test("a picture in a chat is charged as one", async () => {
  const content = { role: "model", parts: [{ text: "a lake" }] };
  const usageMetadata = {
    promptTokenCount: 20,
    candidatesTokenCount: 1_300,
    totalTokenCount: 1_320,
    candidatesTokensDetails: [
      { modality: "TEXT", tokenCount: 10 },
      { modality: "IMAGE", tokenCount: 1_290 },
    ],
  };
  upstream.answer(() => Response.json({ candidates: [{ content, finishReason: "STOP" }], usageMetadata }));
  const messages = [{ role: "user", content: "draw a lake" }];
  const response = await app.call("/v1/chat/completions", { key, json: { model: "chat-that-draws", messages } });
  expect(response.status).toBe(200);
  const { usage } = (await response.json()) as { usage: { completion_tokens_details: object } };
  expect(usage.completion_tokens_details).toMatchObject({ image_tokens: 1_290 });
  const { cost } = await books.last();
  expect(cost).toBe(20n * 5_000n + 10n * 40_000n + 1_290n * 80_000n);
  expect(books.held.at(-1)?.amount).toBeGreaterThanOrEqual(cost);
});
