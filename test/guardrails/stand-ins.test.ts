import { afterAll, expect, test } from "bun:test";
import { MASTER_KEY, startApp } from "../app.ts";
import { Moody, status } from "../upstreams/moody.ts";

const [main, spare] = [new Moody("main"), new Moody("spare")];
main.mood = status(500);
const entry = (model_name: string, { address }: Moody) => ({
  model_name,
  litellm_params: { model: "hosted_vllm/m", api_base: address },
  model_info: { free: true },
});
const app = await startApp(
  JSON.stringify({
    model_list: [entry("main", main), entry("spare", spare)],
    router_settings: { num_retries: 0, disable_cooldowns: true },
    guardrails: [
      { guardrail_name: "words", litellm_params: { guardrail: "word_list", words: ["forbidden"] } },
      { guardrail_name: "mask", litellm_params: { guardrail: "pii" } },
    ],
  }),
);
afterAll(async () => {
  await app.close();
  await Promise.all([main.stop(), spare.stop()]);
});

async function ask(guardrail: string, standIn: object): Promise<number> {
  const json = {
    model: "main",
    messages: [{ role: "user", content: "who is bob@example.com?" }],
    guardrails: [guardrail],
    fallbacks: [{ model: "spare", ...standIn }],
  };
  const response = await app.call("/v1/chat/completions", { key: MASTER_KEY, json });
  await response.text();
  return response.status;
}

test.each([{ stop: ["forbidden"] }, { stop: "forbidden" }])(
  "what a stand-in is asked with is looked at before anything is sent: %j",
  async (standIn) => {
    const before = main.calls;
    expect(await ask("words", standIn)).toBe(400);
    expect([main.calls, spare.calls]).toEqual([before, 0]);
  },
);

test("and masked, with the same placeholders as the request", async () => {
  expect(await ask("mask", { stop: ["bob@example.com", "END"], max_tokens: 5 })).toBe(200);
  expect(spare.seen).toMatchObject({
    messages: [{ role: "user", content: "who is [EMAIL_1]?" }],
    stop: ["[EMAIL_1]", "END"],
    max_tokens: 5,
  });
});
