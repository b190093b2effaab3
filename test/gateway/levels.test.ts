import { afterAll, expect, test } from "bun:test";
import { MASTER_KEY, startApp } from "../app.ts";
import { Moody, status } from "../upstreams/moody.ts";

const [dead, deader, well] = [new Moody("dead"), new Moody("deader"), new Moody("well")];
for (const upstream of [dead, deader]) upstream.mood = status(500);
const entry = (model_name: string, { address }: Moody, order: number | null) => ({
  model_name,
  litellm_params: { model: "hosted_vllm/m", api_base: address, ...(order === null ? {} : { order }) },
  model_info: { free: true },
});
const app = await startApp(
  JSON.stringify({
    model_list: [
      entry("three levels", dead, 1),
      entry("three levels", dead, 2),
      entry("three levels", well, 3),
      entry("one level", dead, null),
      entry("one level", deader, null),
      entry("one level", well, null),
    ],
    router_settings: {
      disable_cooldowns: true,
      routing_strategy: "simple-shuffle",
    },
  }),
);
afterAll(async () => {
  await app.close();
  await Promise.all([dead.stop(), deader.stop(), well.stop()]);
});

test.each([
  ["three levels", 0],
  ["one level", 2],
])("however much was tried in vain, who is well among `%s` answers", async (model, num_retries) => {
  const json = { model, num_retries, messages: [{ role: "user", content: "who?" }] };
  for (let call = 0; call < 60; call++) {
    const response = await app.call("/v1/chat/completions", { key: MASTER_KEY, json });
    expect([call, response.status]).toEqual([call, 200]);
    await response.text();
  }
});
