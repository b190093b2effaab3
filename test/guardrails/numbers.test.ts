import { afterAll, describe, expect, test } from "bun:test";
import { chat, FORMS, readSaid, startGuarded } from "./guarded-app.ts";

const entry = (name: string, params: object) => ({ guardrail_name: name, litellm_params: params });
const world = await startGuarded([
  entry("mask-pii", { guardrail: "pii", mode: "pre_call" }),
  entry("answer-pii", { guardrail: "pii", mode: "post_call", action: "mask" }),
  entry("hooked", {
    guardrail: "webhook",
    api_base: "$HOOK",
    secret: "s",
    mode: "post_call",
    action: "mask",
    window_chars: 8,
  }),
]);
afterAll(() => world.close());
const CARD = 4111111111111111;
const tools = [{ type: "function", function: { name: "send", parameters: { type: "object", properties: {} } } }];

describe.each(FORMS)("arguments of tools from an upstream of the %s form", (model) => {
  describe.each([false, true])("streamed: %p", (stream) => {
    test("stay JSON where a number in them is masked", async () => {
      const said = await chat(world, model, `say: ${CARD}`, { stream, tools, guardrails: ["answer-pii"] });
      expect(JSON.parse(said.arguments)).toEqual({ to: "[CREDIT_CARD_1]" });
    });

    test("stay JSON where a judge masks a number", async () => {
      world.judge.answer = ({ texts: [text = ""] }) => {
        const start = text.indexOf("1234");
        return Response.json({ findings: start < 0 ? [] : [{ category: "x", index: 0, start, end: start + 4 }] });
      };
      const said = await chat(world, model, "say: 123456", { stream, tools, guardrails: ["hooked"] });
      // What its first window ended with has gone out by then.
      expect(JSON.parse(said.arguments).to).toEndWith("[X_1]56");
    });

    test("have a number again where one was masked in those of the request", async () => {
      const call = { id: "c1", type: "function", function: { name: "send", arguments: `{"to":${CARD}}` } };
      const messages = [
        { role: "user", content: "Send it." },
        { role: "assistant", content: null, tool_calls: [call] },
        { role: "tool", tool_call_id: "c1", content: "failed" },
        { role: "user", content: `say: ${CARD}` },
      ];
      const json = { model, messages, stream, tools, guardrails: ["mask-pii"] };
      const said = await readSaid(await world.app.call("/v1/chat/completions", { key: world.key, json }));
      expect(world.seen.at(-1)).not.toContain(String(CARD));
      expect(JSON.parse(said.arguments)).toEqual({ to: CARD });
    });

    test("are masked in the request whatever they are made of", async () => {
      const written = [`{"a":"bob@example.com","a":1}`, `{"__proto__":"bob@example.com"}`, '{"a":6304000000000000109}'];
      for (const text of written) {
        const call = { id: "c1", type: "function", function: { name: "send", arguments: text } };
        const messages = [
          { role: "user", content: "Send it." },
          { role: "assistant", content: null, tool_calls: [call] },
          { role: "tool", tool_call_id: "c1", content: "say: done" },
        ];
        const json = { model, messages, stream, guardrails: ["mask-pii"] };
        const before = world.seen.length;
        const answer = await world.app.call("/v1/chat/completions", { key: world.key, json });
        expect([answer.status, (await answer.text()).length > 0, world.seen.length]).toEqual([200, true, before + 1]);
        expect(world.seen.at(-1)).not.toContain("bob@example.com");
        expect(world.seen.at(-1)).not.toMatch(/6304000000000000/);
      }
    });
  });
});
