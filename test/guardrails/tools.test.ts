import { afterAll, describe, expect, test } from "bun:test";
import { startGuarded } from "./guarded-app.ts";

const world = await startGuarded([
  { guardrail_name: "mask", litellm_params: { guardrail: "pii", mode: "pre_call", default_on: true } },
  { guardrail_name: "secrets", litellm_params: { guardrail: "secrets", mode: "pre_call", action: "block" } },
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

test("numbers that a field may have are masked, and bounds stay what they are", async () => {
  const card = 4111111111111111;
  const bounds = { type: "integer", maximum: Number.MAX_SAFE_INTEGER, minimum: card };
  const valued = { ...bounds, examples: [card], default: card, const: card, enum: [card, 7] };
  const tool = { name: "send", input_schema: { type: "object", properties: { card: valued } } };
  const messages = [{ role: "user", content: "say: hello" }];
  const response = await app.call("/v1/messages", {
    key,
    json: { model: "translated", max_tokens: 50, messages, tools: [tool] },
  });
  await response.text();
  const masked = "[CREDIT_CARD_1]";
  const shown = { ...bounds, examples: [masked], default: masked, const: masked, enum: [masked, 7] };
  expect(JSON.parse(seen.at(-1) ?? "").tools[0].input_schema.properties.card).toEqual(shown);
});

test("what Google has sealed on a call or a text is no secret of the caller's", async () => {
  const seal = "CiQB0e2Kb4xQ7mZ9tR3vW8yL5nP1cJ6hF0sD+dKlAbCgTuVeX2a";
  const sealed = { id: "c", type: "function", function: { name: "send", arguments: "{}" } };
  const turns = [
    { content: null, tool_calls: [{ ...sealed, provider_specific_fields: { thought_signature: seal } }] },
    { content: null, tool_calls: [{ ...sealed, extra_content: { google: { thought_signature: seal } } }] },
    { content: "Hm.", tool_calls: [sealed], provider_specific_fields: { thought_signatures: [seal] } },
  ];
  for (const turn of turns) {
    const result = { role: "tool", tool_call_id: "c", content: "fine" };
    const messages = [{ role: "user", content: "say: hello" }, { role: "assistant", ...turn }, result];
    const json = { model: "own", messages, guardrails: ["secrets"] };
    const response = await app.call("/v1/chat/completions", { key, json });
    expect([response.status, response.headers.get("x-gw-applied-guardrails")]).toEqual([200, "mask,secrets"]);
    await response.text();
  }
});
