import { afterAll, expect, test } from "bun:test";
import { startApp } from "../app.ts";

/** What the model that judges says of a text. */
let result: object = {};
const server = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  development: false,
  async fetch(request) {
    const { input } = (await request.json()) as { input: string[] };
    return Response.json({ id: "m", model: "judge", results: input.map(() => result) });
  },
});
const judge = { api_base: `http://127.0.0.1:${server.port}/v1`, api_key: "upstream-secret-0123456789" };
const guardrail = (name: string, params: object) => ({
  guardrail_name: name,
  litellm_params: { guardrail: "moderation", mode: "pre_call", model: "judge", ...params },
});
const app = await startApp(
  JSON.stringify({
    model_list: [
      {
        model_name: "judge",
        litellm_params: { model: "mistral/mistral-moderation-latest", ...judge },
        model_info: { free: true },
      },
      { model_name: "m", litellm_params: { model: "echo/chat" }, model_info: { free: true } },
    ],
    litellm_settings: { num_retries: 0 },
    guardrails: [guardrail("all", {}), guardrail("some", { categories: ["violence"] })],
  }),
);
afterAll(async () => {
  await app.close();
  await server.stop(true);
});

const OURS = "ContentPolicyViolationError";
test.each<[string, object, string, number, string]>([
  ["no flag, one of its categories", { categories: { pii: false, violence: true } }, "all", 400, OURS],
  ["no flag, a category that counts", { categories: { pii: false, violence: true } }, "some", 400, OURS],
  ["no flag, a category that does not count", { categories: { pii: true, violence: false } }, "some", 200, ""],
  ["no flag, none of its categories", { categories: { pii: false, violence: false } }, "all", 200, ""],
  ["a flag without categories", { flagged: true, categories: {} }, "all", 400, OURS],
  ["a flag without categories, where some count", { flagged: true }, "some", 400, OURS],
  ["a flag for a category that does not count", { flagged: true, categories: { pii: true } }, "some", 200, ""],
  ["no flag for anything", { flagged: false, categories: { violence: false } }, "some", 200, ""],
  ["nothing that says so", { category_scores: { violence: 1 } }, "all", 503, "ServiceUnavailableError"],
  ["categories that say nothing", { categories: { violence: "no" } }, "all", 503, "ServiceUnavailableError"],
])("a moderation model that tells %s is understood", async (_, said, name, status, error) => {
  result = said;
  const json = { model: "m", messages: [{ role: "user", content: crypto.randomUUID() }], guardrails: [name] };
  const response = await app.call("/v1/chat/completions", { key: app.first.demoKey ?? "", json });
  const body = (await response.json()) as { error?: { name: string } };
  expect([response.status, body.error?.name ?? ""]).toEqual([status, error]);
});
