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
      entry("two spares", dead, 1),
      entry("two spares", deader, 2),
      entry("two spares", well, 2),
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
  ["two spares", 0],
  ["two spares", 1],
  ["one level", 2],
])("however much was tried in vain, who is well among `%s` answers", async (model, num_retries) => {
  const json = { model, num_retries, messages: [{ role: "user", content: "who?" }] };
  for (let call = 0; call < 60; call++) {
    const response = await app.call("/v1/chat/completions", { key: MASTER_KEY, json });
    expect([call, response.status]).toEqual([call, 200]);
    await response.text();
  }
});

test.each([
  [400, { type: "invalid_request_error" }],
  [400, { code: "content_policy_violation" }],
  [413, {}],
  [422, {}],
])("what is wrong with the request itself, %i %j, is told by the first level", async (code, more) => {
  const body = { error: { message: "not like this", ...more } };
  Object.assign(dead, { mood: status(code, { body }), calls: 0 });
  well.calls = 0;
  const json = { model: "three levels", messages: [{ role: "user", content: "who?" }] };
  const response = await app.call("/v1/chat/completions", { key: MASTER_KEY, json });
  expect([response.status, dead.calls, well.calls]).toEqual([400, 1, 0]);
  expect(await response.text()).toContain("not like this");
});

test("a level whose key is refused is passed over", async () => {
  Object.assign(dead, { mood: status(401), calls: 0 });
  const json = { model: "three levels", num_retries: 0, messages: [{ role: "user", content: "who?" }] };
  expect((await app.call("/v1/chat/completions", { key: MASTER_KEY, json })).status).toBe(200);
});
