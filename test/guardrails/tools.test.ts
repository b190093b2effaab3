import { afterAll, describe, expect, test } from "bun:test";
import { startGuarded } from "./guarded-app.ts";

const world = await startGuarded([
  { guardrail_name: "mask", litellm_params: { guardrail: "pii", mode: "pre_call", default_on: true } },
]);
const { app, seen, key } = world;
afterAll(() => world.close());

const ADDRESS = "bob@example.com";
const input_schema = { type: "object", properties: { to: { type: "string" } }, required: ["to"] };

describe("what a definition of a tool has for the model is masked", () => {
  test.each([
    [
      "examples",
      { name: "send", input_schema, input_examples: [{ to: ADDRESS, card: 4111111111111111 }] },
      [{ to: "[EMAIL_1]", card: "[CREDIT_CARD_1]" }],
    ],
    [
      "fields that are not known here",
      { type: "web_search_20250305", name: "send", notes: [{ name: ADDRESS, city: "by 4111 1111 1111 1111" }] },
      [{ name: "[EMAIL_1]", city: "by [CREDIT_CARD_1]" }],
    ],
  ])("in %s", async (_, tool, masked) => {
    const messages = [{ role: "user", content: "say: hello" }];
    const json = { model: "translated", max_tokens: 50, messages, tools: [tool] };
    const response = await app.call("/v1/messages", { key, json });
    await response.text();
    expect(response.status).toBe(200);
    const [sent] = JSON.parse(seen.at(-1) ?? "").tools;
    expect(sent).toEqual({ ...tool, ["notes" in tool ? "notes" : "input_examples"]: masked });
  });
});
