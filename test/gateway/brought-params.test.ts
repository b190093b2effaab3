import { afterAll, expect, test } from "bun:test";
import { componentOf, readOwnPrices } from "../../src/catalog/own-prices.ts";
import { PRICE_KEYS } from "../../src/config/keys/prices.ts";
import { MASTER_KEY, startApp } from "../app.ts";
import { loadText } from "../config/load-text.ts";
import { Moody } from "../upstreams/moody.ts";

/** Of an entry that somebody brings from another gateway: none of it is a field that a provider knows. */
const BROUGHT = {
  mock_response: "x",
  mock_delay: 3,
  cache: { "no-cache": true },
  fallbacks: ["other"],
  caching: true,
  guardrails: ["g"],
  vector_store_ids: ["v"],
  cache_control_injection_points: [{ location: "message" }],
  prompt_id: "p",
  auto_router_config: "{}",
  quality_router_config: {},
  ssl_verify: false,
  request_timeout: 30,
  base_model: "gpt-4o",
  supports_system_message: false,
  litellm_system_prompt: "Be kind.",
  litellm_trace_id: "t",
  retry_policy: {},
  itpm: 100,
  otpm: 100,
  s3_bucket_name: "b",
  s3_secret_access_key: "a-secret",
  model_info: {},
  "no-log": true,
  azure_username: "u",
  azure_password: "a-password",
  aws_sts_endpoint: "https://sts.example",
  watsonx_region_name: "eu",
  tiered_pricing: [],
  input_cost_per_pixel: 0.1,
  input_cost_per_video_token: 0.1,
};
const entry = (params: object) => ({
  model_name: "m",
  litellm_params: { model: "hosted_vllm/m", ...params },
  model_info: { free: true },
});

const upstream = new Moody("one");
const app = await startApp(
  JSON.stringify({ model_list: [entry({ ...BROUGHT, api_base: upstream.address, top_k: 4 })] }),
);
afterAll(async () => {
  await app.close();
  await upstream.stop();
});

test("what steers another gateway does not reach the provider; what nobody knows does", async () => {
  const json = { model: "m", messages: [{ role: "user", content: "Hello!" }] };
  const response = await app.call("/v1/chat/completions", { key: MASTER_KEY, json });
  expect(response.status).toBe(200);
  expect(Object.keys(upstream.seen).sort()).toEqual(["messages", "model", "top_k"]);
});

test("and each is warned about", () => {
  const { warnings } = loadText(JSON.stringify({ model_list: [entry(BROUGHT)] }));
  const named = new Set(
    warnings.map(({ path }) => path.replace(/^.*litellm_params\.?/, "").replace(/^\["(.*)"\]$/, "$1")),
  );
  expect(Object.keys(BROUGHT).filter((name) => !named.has(name))).toEqual([]);
});

test("a role or a profile of AWS is warned about, since calls with it are refused", async () => {
  const names = ["aws_role_name", "aws_profile_name", "aws_web_identity_token"];
  const params = { model: "bedrock/m", ...Object.fromEntries(names.map((name) => [name, "x"])) };
  const { warnings } = loadText(JSON.stringify({ model_list: [entry(params)] }));
  const advice = warnings.filter(({ message }) => message.includes("calls are refused as it is"));
  expect(advice.map(({ path }) => path)).toEqual(names.map((name) => `model_list[0].litellm_params.${name}`));
});

test("every price that is taken without a warning is one that calls are charged by", () => {
  expect(PRICE_KEYS.filter((name) => componentOf(name) === null)).toEqual([]);
  const stated = Object.fromEntries([...PRICE_KEYS, "input_cost_per_token_above_512k_tokens"].map((name) => [name, 1]));
  const { warnings } = loadText(
    JSON.stringify({ model_list: [{ model_name: "m", litellm_params: { model: "echo/chat" }, model_info: stated }] }),
  );
  expect(warnings).toEqual([]);
});

test("a price in model_info that nothing is charged by is warned about", () => {
  const info = { search_context_cost_per_query: {}, output_cost_per_video_token: 1, supports_vision: true };
  const { warnings } = loadText(
    JSON.stringify({ model_list: [{ model_name: "m", litellm_params: { model: "echo/chat" }, model_info: info }] }),
  );
  expect(warnings.map(({ path }) => path)).toEqual([
    "model_list[0].model_info.search_context_cost_per_query",
    "model_list[0].model_info.output_cost_per_video_token",
  ]);
  for (const { message } of warnings) expect(message).toContain("no call is charged by it");
});

test("prices above any length of the prompt are charged, and must be numbers", async () => {
  const priced = (value: unknown) => ({
    model: "openai/m",
    api_key: "k",
    input_cost_per_token: 1e-6,
    input_cost_per_token_above_512k_tokens: value,
    cache_read_input_token_cost_above_100k_tokens_priority: 1e-7,
  });
  const { warnings, ...loaded } = loadText(JSON.stringify({ model_list: [entry(priced(2e-6))] }));
  expect(warnings.map(({ path }) => path)).toEqual([]);
  const [deployment] = loaded.ok ? loaded.config.deployments : [];
  const { input } = readOwnPrices(deployment?.params ?? {});
  expect(input?.tiers).toEqual([{ aboveTokens: 512_000, price: 2_000_000_000n }]);
  const faulty = loadText(JSON.stringify({ model_list: [entry(priced("much"))] }));
  expect(faulty.ok ? [] : faulty.faults.map(({ path }) => path)).toEqual([
    "model_list[0].litellm_params.input_cost_per_token_above_512k_tokens",
  ]);
});
