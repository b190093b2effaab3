import { afterAll, expect, test } from "bun:test";
import { MASTER_KEY, startApp } from "../app.ts";
import { FakeUpstream } from "./fake-upstream.ts";

const upstream = new FakeUpstream();
const app = await startApp(
  JSON.stringify({
    model_list: [
      {
        model_name: "voice",
        litellm_params: { model: "openai/gpt-realtime", api_base: upstream.address, api_key: "k" },
      },
      { model_name: "offline", litellm_params: { model: "echo/realtime" } },
    ],
  }),
);
afterAll(async () => {
  await app.close();
  upstream.stop();
});
const check = async (model: string) =>
  (await app.call(`/health?model=${model}`, { key: MASTER_KEY })).json() as Promise<Record<string, unknown>>;

test("a model of sessions is well when it opens one", async () => {
  expect(await check("voice")).toMatchObject({ healthy_count: 1, unhealthy_count: 0 });
  expect(upstream.sessions).toHaveLength(1);
  expect(upstream.sessions[0]?.heard).toEqual([]);
  expect(await check("offline")).toMatchObject({ healthy_count: 1, unhealthy_count: 0 });
});

test("and not when it refuses to", async () => {
  upstream.mood = { status: 401 };
  expect(await check("voice")).toMatchObject({
    healthy_count: 0,
    unhealthy_endpoints: [{ model_name: "voice", error: expect.stringContaining("OpenAI") }],
  });
});
