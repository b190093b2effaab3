import { afterAll, describe, expect, test } from "bun:test";
import { eventsIn, say, startMessages, textsIn } from "./messages-app.ts";

const world = await startMessages({
  router_settings: {
    num_retries: 0,
    disable_cooldowns: true,
    enable_mid_stream_fallbacks: true,
    fallbacks: [{ claude: ["gpt"] }, { gpt: ["claude"] }],
  },
});
const { books, post } = world;
afterAll(() => world.close());

describe.each([
  ["claude", "gpt"],
  ["gpt", "claude"],
])("a stream of %s that breaks off", (model, other) => {
  test.each(["cut after 5", "break after 5"])(
    `goes on at ${other} in the block that it broke off in: %s`,
    async (words) => {
      const events = await eventsIn(await post({ model, stream: true, ...say(words) }));
      const texts = textsIn(events);
      expect(texts).toHaveLength(1);
      expect(texts[0]).toMatch(/^one t.*Echo of "Your answer broke off/);
      expect(events.filter(({ type }) => type === "content_block_start")).toHaveLength(1);
      expect(events.at(-1)?.type).toBe("message_stop");
      const fallback = { from: model, to: other, reason: expect.any(String) };
      expect(events.at(-2)).toMatchObject({
        type: "message_delta",
        delta: { stop_reason: "end_turn" },
        gw_metadata: { mid_stream_fallback: fallback },
      });
      const { status, model: answered, attempts, cost } = await books.last();
      expect([status, answered, attempts.length, cost]).toEqual(["succeeded", other, 2, 23_000n]);
    },
  );
});

test.each(["", "?alt=sse"])("so does one in Google's form: %p", async (how) => {
  const lastOf = async (text: string) => {
    const json = { contents: [{ role: "user", parts: [{ text }] }] };
    const path = `/v1beta/models/gpt:streamGenerateContent${how}`;
    const response = await (await world.app.call(path, { key: world.key, json })).text();
    const pieces = how === "" ? (JSON.parse(response) as object[]) : response.trim().split(/\r?\n\r?\n/);
    const last = pieces.at(-1) ?? "";
    return typeof last === "string" ? (JSON.parse(last.replace("data: ", "")) as object) : last;
  };
  expect(await lastOf("cut after 5")).toMatchObject({
    candidates: [{ finishReason: "STOP" }],
    gw_metadata: { mid_stream_fallback: { from: "gpt", to: "claude", reason: expect.any(String) } },
  });
  expect(await lastOf("who?")).not.toHaveProperty("gw_metadata");
});

test("a stream of a response that breaks off says in its end who went on with it; others say nothing", async () => {
  const endOf = async (input: string) => {
    const json = { model: "gpt", stream: true, input };
    const response = await world.app.call("/v1/responses", { key: world.key, json });
    return (await eventsIn(response)).at(-1);
  };
  expect(await endOf("cut after 5")).toMatchObject({
    type: "response.completed",
    response: { gw_metadata: { mid_stream_fallback: { from: "gpt", to: "claude" } } },
  });
  const whole = await endOf("who?");
  expect(whole?.type).toBe("response.completed");
  expect(JSON.stringify(whole)).not.toContain("gw_metadata");
});
