import { afterAll, expect, test } from "bun:test";
import { MASTER_KEY, startApp } from "../app.ts";
import { Moody } from "../upstreams/moody.ts";

const upstream = new Moody("any");
const entry = (model_name: string, max_input_tokens: number) => ({
  model_name,
  // A provider whose prices stand in a public list, which is not loaded yet when the first call comes.
  litellm_params: { model: "openai/m", api_key: "k", api_base: upstream.address },
  model_info: { max_input_tokens, input_cost_per_token: 0.000001, output_cost_per_token: 0.000001 },
});
const app = await startApp(
  JSON.stringify({
    model_list: [entry("short", 100), entry("long", 100_000)],
    router_settings: { enable_pre_call_checks: true, context_window_fallbacks: [{ short: ["long"] }] },
  }),
);
afterAll(async () => {
  await app.close();
  await upstream.stop();
});

test("how long a prompt may be by the file itself holds for the first call", async () => {
  const groups: (string | null)[] = [];
  for (let call = 0; call < 3; call++) {
    const json = { model: "short", messages: [{ role: "user", content: `${call} word`.repeat(500) }] };
    const response = await app.call("/v1/chat/completions", { key: MASTER_KEY, json });
    await response.text();
    groups.push(response.headers.get("x-gw-model-group"));
  }
  expect([groups, upstream.calls]).toEqual([["long", "long", "long"], 3]);
});
