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
      const { status, model: answered, attempts, cost } = await books.last();
      expect([status, answered, attempts.length, cost]).toEqual(["succeeded", other, 2, 23_000n]);
    },
  );
});
