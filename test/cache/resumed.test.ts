import { afterAll, expect, test } from "bun:test";
import { startApp } from "../app.ts";
import { Moody, WELL } from "../upstreams/moody.ts";
import { look } from "./cached-app.ts";

const [first, second] = [new Moody("first"), new Moody("second")];
const entry = (upstream: Moody, order: number) => ({
  model_name: "main",
  litellm_params: { model: "hosted_vllm/m", api_base: upstream.address, order },
  model_info: { free: true },
});
const app = await startApp(
  JSON.stringify({
    model_list: [entry(first, 1), entry(second, 2)],
    litellm_settings: { cache: true },
    router_settings: { num_retries: 1, enable_mid_stream_fallbacks: true, disable_cooldowns: true },
  }),
);
afterAll(async () => {
  await app.close();
  await Promise.all([first.stop(), second.stop()]);
});

test("a stream that went on at another deployment of its group is not kept", async () => {
  const ask = async () => {
    const json = { model: "main", stream: true, messages: [{ role: "user", content: "who?" }] };
    return look(await app.call("/v1/chat/completions", { key: app.first.demoKey ?? "", json }));
  };
  first.mood = { kind: "cut", after: 2 };
  expect((await ask()).text).toContain("mid_stream_fallback");
  first.mood = WELL;
  const next = await ask();
  expect(next.hit).toBe(false);
  expect(next.text).not.toContain("mid_stream_fallback");
  expect((await ask()).hit).toBe(true);
});
