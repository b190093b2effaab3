import { afterAll, expect, test } from "bun:test";
import { FakeUpstream } from "./fake-upstream.ts";
import { realtimeWorld } from "./world.ts";

/** A response costs 0.00004 USD: of each budget here there are two. */
const BUDGET = { max_budget: 0.00008, budget_duration: "30d" };
const upstream = new FakeUpstream();
const litellm_params = { model: "openai/gpt-realtime", api_base: upstream.address, api_key: "k" };
const model_info = { input_cost_per_token: 1e-6, output_cost_per_token: 2e-6 };
const world = await realtimeWorld({
  model_list: [
    { model_name: "voice", litellm_params, model_info },
    { model_name: "few", litellm_params: { ...litellm_params, ...BUDGET }, model_info },
    {
      model_name: "dear",
      litellm_params: { ...litellm_params, model: "openai_like/gpt-realtime" },
      model_info,
    },
  ],
  router_settings: {
    tag_budget_config: { shop: BUDGET, kiosk: BUDGET },
    provider_budget_config: { openai_like: { budget_limit: BUDGET.max_budget, time_period: "30d" } },
  },
});
const { newKey, open, refused } = world;
afterAll(async () => {
  await world.close();
  await upstream.stop();
});

test("a tag whose budget a response has used up ends the session, and lets no other one be opened", async () => {
  const { key } = await newKey({ tags: ["shop"] });
  const client = await open("voice", key);
  await client.ask("One");
  await client.ask("Two");
  expect(await client.ended()).toEqual({ code: 1008, error: "budget_exceeded" });
  expect(await refused("voice", key)).toMatchObject({ status: 429, code: "budget_exceeded" });
});

test("a tag whose budget others have used up gives a session no further response", async () => {
  const { key } = await newKey({ tags: ["kiosk"] });
  const [one, other] = [await open("voice", key), await open("voice", key)];
  await one.ask("One");
  await one.ask("Two");
  expect((await one.ended()).error).toBe("budget_exceeded");
  await other.next("session.created");
  const asked = upstream.last.heard.length;
  other.send({ type: "response.create" });
  expect(await other.ended()).toEqual({ code: 1008, error: "budget_exceeded" });
  expect(upstream.last.heard).toHaveLength(asked);
});

test.each([
  ["deployment", "few"],
  ["provider", "dear"],
])("a %s that has spent its budget ends its sessions after the response that did", async (_, model) => {
  const { key } = await newKey();
  const client = await open(model, key);
  await client.ask("One");
  await client.ask("Two");
  expect(await client.ended()).toEqual({ code: 1001, error: "service_unavailable" });
  expect(await refused(model, key)).toMatchObject({ status: 429, code: "rate_limit_exceeded" });
});
