import { afterAll, describe, expect, test } from "bun:test";
import { PriceTable } from "../../src/catalog/price-table.ts";
import { unpricedModels } from "../../src/start/unpriced-models.ts";
import { MASTER_KEY, startApp } from "../app.ts";
import { configOf } from "../config/load-text.ts";

const LIST = `model_list:
  - {model_name: my-finetune, litellm_params: {model: openai/acme-ft-7, api_key: k}}
  - {model_name: local, litellm_params: {model: hosted_vllm/llama, api_base: 'https://llm.example.com/v1'}}
  - {model_name: own, litellm_params: {model: openai/gpt-4o, api_key: k, api_base: 'http://10.0.0.7/v1'}}
  - {model_name: remote, litellm_params: {model: openai_like/llama, api_base: 'https://llm.example.com/v1'}}
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

const TOKENS = "State `input_cost_per_token` and `output_cost_per_token`, or `free: true`, in `model_info`.";

const { deployments } = configOf(LIST);
const said = (prices: PriceTable) => unpricedModels(deployments, prices, "refuse").map(({ message }) => message);

describe("models whose price nobody knows", () => {
  test("are named with what to state; those that need no price, or have one, are not", async () => {
    const prices = new PriceTable(Date.now);
    await prices.load();
    const refused = "no known price: calls with keys are refused (400 price_unknown).";
    expect(said(prices)).toEqual([
      `\`my-finetune\` has ${refused} ${TOKENS}`,
      `\`remote\` has ${refused} ${TOKENS}`,
      `\`voice\` has ${refused} State \`input_cost_per_character\`, or \`free: true\`, in \`model_info\`.`,
      `\`vectors\` has ${refused} State \`input_cost_per_token\`, or \`free: true\`, in \`model_info\`.`,
      `1 of 2 deployments of \`half\` have ${refused} ${TOKENS}`,
      "`openai/*` may serve models without a known price: calls with keys are refused (400 price_unknown).",
    ]);
  });

  test("are not charged where the operator says so", async () => {
    const prices = new PriceTable(Date.now);
    await prices.load();
    const [first] = unpricedModels(deployments, prices, "free");
    expect(first?.message).toContain("no known price: calls are not charged (`unpriced_models: free`)");
    const app = await startApp(`${LIST}general_settings: { unpriced_models: free }\n`);
    const json = { model: "my-finetune", messages: [{ role: "user", content: "hello" }] };
    const response = await app.call("/v1/chat/completions", { key: app.first.demoKey ?? "", json });
    expect(await response.json()).not.toMatchObject({ error: { code: "price_unknown" } });
    await app.close();
  });

  test("are not guessed at while the lists are not loaded", () => {
    expect(said(new PriceTable(Date.now))).toEqual([expect.stringContaining("`remote` has no known price")]);
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

  const change = async (method: string, path: string, json: object) => {
    const response = await (await app).call(path, { method, key: MASTER_KEY, json });
    expect(response.ok).toBe(true);
    return (await response.json()) as { model_id: string; warnings: string[] };
  };
  const refused = (whose: string) =>
    `${whose} no known price: calls with keys are refused (400 price_unknown). ${TOKENS}`;
  const unpriced = { model: "openai/acme-ft-9", api_key: "k" };

  test("whoever adds or changes a model at run time is told, and so is the log", async () => {
    const { logged } = await app;
    const made = await change("POST", "/model/new", { model_name: "late", litellm_params: unpriced });
    expect(made.warnings).toEqual([refused("`late` has")]);
    const told = logged.map((line) => JSON.parse(line)).filter(({ modelId }) => modelId === made.model_id);
    expect(told).toMatchObject([{ level: "warn", msg: refused("`late` has") }]);

    const [path, id] = [`/api/admin/models/${made.model_id}`, { id: made.model_id }];
    expect((await change("PUT", path, { inputPrice: 1, outputPrice: 1 })).warnings).toEqual([]);
    expect((await change("PUT", path, { inputPrice: null })).warnings).toEqual([refused("`late` has")]);
    expect((await change("POST", "/model/block", id)).warnings).toEqual([]);
    expect((await change("POST", "/model/unblock", id)).warnings).toEqual([refused("`late` has")]);
    const free = { model_info: { free: true } };
    expect((await change("PATCH", `/model/${made.model_id}/update`, free)).warnings).toEqual([]);
  });

  test("only of the model itself, and in what share of its group", async () => {
    const joined = await change("POST", "/model/new", { model_name: "listed", litellm_params: unpriced });
    expect(joined.warnings).toEqual([refused("1 of 2 deployments of `listed` have")]);
    const priced = { model: "openai/gpt-4o", api_key: "k" };
    expect((await change("POST", "/model/new", { model_name: "listed", litellm_params: priced })).warnings).toEqual([]);
  });

  test("at the start, stored models are named as those of the file are", async () => {
    const { service } = await app;
    await change("POST", "/api/admin/models", { provider: "openai", inferenceModelId: "acme-ft-9", name: "kept" });
    const faults = service.unpricedModels();
    expect(faults.find(({ message }) => message.startsWith("`kept` has no known price"))).toMatchObject({
      file: "database",
    });
    expect(faults.find(({ message }) => message.startsWith("`remote`"))).toMatchObject({ file: "configuration" });
  });
});
