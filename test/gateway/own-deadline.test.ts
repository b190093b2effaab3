import { expect, test } from "bun:test";
import { MASTER_KEY, startApp } from "../app.ts";
import { SteppedClock } from "../stepped-clock.ts";
import { Moody } from "../upstreams/moody.ts";

test.each([
  // A moment before the model is asked is no hurry: who waits as long as anybody has found out that nothing comes.
  [50, "resting"],
  [3_000, "well"],
])(
  "what a caller waits for counts from its request: of 30 s, %i ms before the model is asked",
  async (before, state) => {
    const [vectors, model] = [new Moody("vectors"), new Moody("model")];
    const clock = new SteppedClock();
    const entry = (model_name: string, { address }: Moody) => ({
      model_name,
      litellm_params: { model: "hosted_vllm/m", api_base: address },
      model_info: { free: true },
    });
    const cache_params = { type: "semantic", embedding_model: "vectors", similarity_threshold: 0.8 };
    const app = await startApp(
      JSON.stringify({
        model_list: [entry("vectors", vectors), entry("model", model)],
        litellm_settings: { cache: true, cache_params },
        router_settings: { allowed_fails: 0, num_retries: 0 },
      }),
      null,
      clock,
    );
    const gate = Promise.withResolvers<void>();
    vectors.mood = { kind: "wait", until: gate.promise };
    model.mood = { kind: "hang" };
    const json = { model: "model", messages: [{ role: "user", content: "who?" }], timeout: 30 };
    const call = app.call("/v1/chat/completions", { key: MASTER_KEY, json });
    while (vectors.calls === 0) await Bun.sleep(1);
    clock.step(before);
    gate.resolve();
    while (model.calls === 0) await Bun.sleep(1);
    clock.step(30_001 - before);
    expect((await call).status).toBe(408);
    const described = await app.call("/api/admin/deployments?group=model", { key: MASTER_KEY });
    expect(((await described.json()) as { data: { state: string }[] }).data).toMatchObject([{ state }]);
    await app.close();
    await Promise.all([vectors.stop(), model.stop()]);
  },
);
