import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import { MASTER_KEY, startApp } from "../app.ts";
import { Moody, WELL } from "../upstreams/moody.ts";

const [vectors, model, judge] = [new Moody("vectors"), new Moody("model"), new Moody("judge")];
const entry = (model_name: string, { address }: Moody, mode = "chat") => ({
  model_name,
  litellm_params: { model: "openai/m", api_base: address, api_key: "k" },
  model_info: { free: true, mode },
});
const hook = (name: string, params: object) => ({
  guardrail_name: name,
  litellm_params: { guardrail: "webhook", api_base: judge.address, secret: "a-signing-secret", timeout: 20, ...params },
});
const app = await startApp(
  JSON.stringify({
    model_list: [entry("vectors", vectors, "embedding"), entry("model", model), entry("flags", judge, "moderation")],
    litellm_settings: {
      cache: true,
      cache_params: { type: "semantic", embedding_model: "vectors", similarity_threshold: 0.8 },
    },
    router_settings: { num_retries: 0, allowed_fails: 0, cooldown_time: 600 },
    guardrails: [
      hook("closed", { unreachable_fallback: "fail_closed" }),
      hook("open", { unreachable_fallback: "fail_open" }),
      hook("beside", { unreachable_fallback: "fail_open", mode: "during_call" }),
      hook("brief", { unreachable_fallback: "fail_open", timeout: 0.2 }),
      {
        guardrail_name: "flagged",
        litellm_params: { guardrail: "moderation", model: "flags", timeout: 20 },
      },
    ],
  }),
);
afterAll(async () => {
  await app.close();
  await Promise.all([vectors.stop(), model.stop(), judge.stop()]);
});
beforeEach(() => {
  for (const upstream of [vectors, model]) Object.assign(upstream, { mood: WELL, calls: 0 });
  judge.mood = { kind: "hang" };
});

async function ask(content: string, fields: object): Promise<number> {
  const json = { model: "model", messages: [{ role: "user", content }], ...fields };
  const response = await app.call("/v1/chat/completions", { key: MASTER_KEY, json });
  await response.text();
  return response.status;
}

describe("a guardrail that does not answer", () => {
  test.each(["closed", "open", "flagged"])("has no longer than the caller waits: %s", async (name) => {
    expect(await ask("who?", { timeout: 0.5, guardrails: [name], caching: false })).toBe(408);
    expect(model.calls).toBe(0);
  });

  test("beside the call has no longer either", async () => {
    expect(await ask("who?", { timeout: 0.5, guardrails: ["beside"], caching: false })).toBe(408);
  });

  test("goes by its own rule where its own time is the shorter one", async () => {
    const status = await ask("who?", { timeout: 20, guardrails: ["brief"], caching: false });
    expect([status, model.calls]).toEqual([200, 1]);
  });
});

test("a question that cannot be compared is asked, and who kept it waiting rests", async () => {
  vectors.mood = { kind: "hang" };
  const status = await ask("what is a heron?", { timeout: 6 });
  expect([status, vectors.calls, model.calls]).toEqual([200, 1, 1]);
  const described = await app.call("/api/admin/deployments?group=vectors", { key: MASTER_KEY });
  expect(((await described.json()) as { data: { state: string }[] }).data).toMatchObject([{ state: "resting" }]);
});

test("a hurry of the caller's own says nothing about the model that compares", async () => {
  const app2 = await startApp(
    JSON.stringify({
      model_list: [entry("vectors", vectors, "embedding"), entry("model", model)],
      litellm_settings: {
        cache: true,
        cache_params: { type: "semantic", embedding_model: "vectors", similarity_threshold: 0.8 },
      },
      router_settings: { num_retries: 0, allowed_fails: 0, cooldown_time: 600 },
    }),
  );
  vectors.mood = { kind: "hang" };
  const json = { model: "model", messages: [{ role: "user", content: "who?" }], timeout: 0.6 };
  await (await app2.call("/v1/chat/completions", { key: MASTER_KEY, json })).text();
  const described = await app2.call("/api/admin/deployments?group=vectors", { key: MASTER_KEY });
  expect(((await described.json()) as { data: { state: string }[] }).data).toMatchObject([{ state: "well" }]);
  await app2.close();
});
