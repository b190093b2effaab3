import { afterAll, describe, expect, test } from "bun:test";
import { PriceTable } from "../../src/catalog/price-table.ts";
import { unpricedModels } from "../../src/start/unpriced-models.ts";
import { startApp } from "../app.ts";
import { configOf } from "../config/load-text.ts";

const LIST = `model_list:
  - {model_name: my-finetune, litellm_params: {model: openai/acme-ft-7, api_key: k}}
  - {model_name: local, litellm_params: {model: hosted_vllm/llama, api_base: 'http://127.0.0.1:1/v1'}}
  - {model_name: voice, litellm_params: {model: openai/acme-tts, api_key: k}, model_info: {mode: audio_speech}}
  - {model_name: vectors, litellm_params: {model: openai/acme-embed, api_key: k}, model_info: {mode: embedding}}
  - {model_name: half, litellm_params: {model: openai/gpt-4o, api_key: k}}
  - {model_name: half, litellm_params: {model: openai/acme-ft-8, api_key: k}}
  - {model_name: free, litellm_params: {model: openai/acme-ft-7, api_key: k}, model_info: {id: free, free: true}}
  - {model_name: stated, litellm_params: {model: openai/acme-ft-7, api_key: k, input_cost_per_token: 1e-6, output_cost_per_token: 1e-6}}
  - {model_name: based, litellm_params: {model: azure/mine, api_key: k, api_base: 'http://127.0.0.1:1'}, model_info: {base_model: gpt-4o}}
  - {model_name: listed, litellm_params: {model: openai/gpt-4o, api_key: k}}
  - {model_name: echo-chat, litellm_params: {model: echo/chat}}
  - {model_name: openai/*, litellm_params: {model: openai/*, api_key: k}}
  - {model_name: away, litellm_params: {model: petals/x}}
`;

const { deployments } = configOf(LIST);
const said = (prices: PriceTable) => unpricedModels(deployments, prices).map(({ message }) => message);

describe("models whose price nobody knows", () => {
  test("are named with what to state; those that need no price, or have one, are not", async () => {
    const prices = new PriceTable(Date.now);
    await prices.load();
    const refused = "no known price: calls with keys are refused (400 price_unknown).";
    const tokens = "State `input_cost_per_token` and `output_cost_per_token`, or `free: true`, in `model_info`.";
    expect(said(prices)).toEqual([
      `\`my-finetune\` has ${refused} ${tokens}`,
      `\`local\` has ${refused} ${tokens}`,
      `\`voice\` has ${refused} State \`input_cost_per_character\`, or \`free: true\`, in \`model_info\`.`,
      `\`vectors\` has ${refused} State \`input_cost_per_token\`, or \`free: true\`, in \`model_info\`.`,
      `1 of 2 deployments of \`half\` have ${refused} ${tokens}`,
    ]);
  });

  test("are not guessed at while the lists are not loaded", () => {
    expect(said(new PriceTable(Date.now))).toEqual([expect.stringContaining("`local` has no known price")]);
  });
});

describe("through the service", () => {
  const app = startApp(LIST);
  afterAll(async () => (await app).close());

  test("what is said is what a key meets", async () => {
    const { service, call, first } = await app;
    await service.loadPrices();
    expect(service.unpricedModels()[0]?.message).toStartWith("`my-finetune` has no known price");
    const json = { model: "my-finetune", messages: [{ role: "user", content: "hello" }] };
    const refused = await call("/v1/chat/completions", { key: first.demoKey ?? "", json });
    expect(refused.status).toBe(400);
    expect(await refused.json()).toMatchObject({ error: { code: "price_unknown" } });
  });
});
