import { afterAll, expect, test } from "bun:test";
import { MASTER_KEY, startApp } from "../app.ts";
import { Moody } from "../upstreams/moody.ts";

const upstream = new Moody("one");
const entry = (name: string, model: string) => ({
  model_name: name,
  litellm_params: { model, api_base: upstream.address, api_key: "sk-up" },
  model_info: { free: true },
});
const app = await startApp(
  JSON.stringify({
    model_list: [
      entry("openai", "openai/gpt-5"),
      entry("openrouter", "openrouter/openai/gpt-5"),
      entry("anthropic", "anthropic/claude-sonnet-4-5"),
      entry("gemini", "gemini/gemini-2.5-flash"),
      entry("vllm", "hosted_vllm/m"),
    ],
  }),
);
afterAll(async () => {
  await app.close();
  await upstream.stop();
});

const messages = [{ role: "user", content: "Hello!" }];
const call = (json: object) => app.call("/v1/chat/completions", { key: MASTER_KEY, json: { messages, ...json } });

/** What a provider would be sent. */
async function bodyFor(model: string, fields: object): Promise<Record<string, unknown>> {
  const json = { call_type: "completion", request_body: { model, messages, max_tokens: 9000, ...fields } };
  const response = await app.call("/utils/transform_request", { key: MASTER_KEY, json });
  const { raw_request_body: body } = (await response.json()) as { raw_request_body: Record<string, unknown> };
  return body;
}

test("usage: {include: true} asks a stream for its usage, and is no field of OpenAI's", async () => {
  const asked = await call({ model: "openai", stream: true, usage: { include: true } });
  expect(await asked.text()).toContain('"usage":{');
  expect(upstream.seen.usage).toBeUndefined();
  const unasked = await call({ model: "openai", stream: true });
  expect(await unasked.text()).not.toContain('"usage":{');
});

test("OpenRouter itself gets it, for the cost", async () => {
  expect((await call({ model: "openrouter", usage: { include: true } })).status).toBe(200);
  expect(upstream.seen.usage).toEqual({ include: true });
});

test("route goes nowhere: its partner, models, is carried out here", async () => {
  expect((await call({ model: "openai", route: "fallback", models: ["vllm"] })).status).toBe(200);
  expect(Object.keys(upstream.seen).sort()).toEqual(["messages", "model"]);
});

test.each([
  ["openai", { effort: "high" }, { reasoning_effort: "high" }],
  ["openai", { enabled: true, exclude: false }, { reasoning_effort: "medium" }],
  ["openai", { max_tokens: 2000 }, { reasoning_effort: "medium" }],
  ["openai", {}, {}],
  ["anthropic", { max_tokens: 2000 }, { thinking: { type: "enabled", budget_tokens: 2000 } }],
  ["openrouter", { effort: "high" }, { reasoning: { effort: "high" } }],
  ["vllm", { effort: "high" }, { reasoning: { effort: "high" } }],
])("reasoning for %s: %o is sent as %o", async (model, reasoning, sent) => {
  const { reasoning: as, reasoning_effort, thinking } = await bodyFor(model, { reasoning });
  const found = { reasoning: as, reasoning_effort, thinking };
  expect(JSON.parse(JSON.stringify(found))).toEqual(sent);
});

test("Gemini thinks as much as it was told to, and not at all where that was the wish", async () => {
  const configOf = async (reasoning: object) =>
    ((await bodyFor("gemini", { reasoning })).generationConfig as Record<string, unknown>).thinkingConfig;
  expect(await configOf({ max_tokens: 2000 })).toMatchObject({ thinkingBudget: 2000 });
  expect(await configOf({ enabled: false })).toMatchObject({ thinkingBudget: 0 });
});

test("what a request says in OpenAI's words counts, and a wish that has no other words is left for the provider to refuse", async () => {
  expect(await bodyFor("openai", { reasoning: { effort: "high" }, reasoning_effort: "low" })).toMatchObject({
    reasoning_effort: "low",
  });
  expect(await bodyFor("openai", { reasoning: { exclude: true } })).toMatchObject({ reasoning: { exclude: true } });
});
