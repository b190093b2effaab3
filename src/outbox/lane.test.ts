import { describe, expect, test } from "bun:test";
import { createLogger } from "../lib/log.ts";
import { Lane } from "./lane.ts";
import { type Deliverer, Outbox } from "./outbox.ts";
import type { OutboxMessage, OutboxStore } from "./store.ts";

/** Messages in memory, by topic, all of them due. */
function bench(topics: readonly string[], deliverers: Readonly<Record<string, Deliverer>>) {
  const waiting = topics.map((topic, at) => ({ id: `${at}`, topic, payload: {}, attempts: 1, createdAt: 0 }));
  const sent: string[] = [];
  const store: OutboxStore = {
    async claim(prefix, _, __, limit) {
      const claimed = waiting.filter(({ topic }) => topic.startsWith(`${prefix}.`)).slice(0, limit);
      for (const one of claimed) waiting.splice(waiting.indexOf(one), 1);
      return claimed;
    },
    sent: async ({ topic }) => void sent.push(topic),
    postpone: async () => undefined,
    failed: async () => undefined,
    prune: async () => 0,
  };
  const clock = { nowMs: () => 0, monotonicMs: () => 0 };
  const outbox = new Outbox({ store, deliverers, clock, log: createLogger("error", () => undefined) });
  return { outbox, sent };
}

describe("messages that take long", () => {
  test("hold up none of another kind", async () => {
    const release = Promise.withResolvers<void>();
    const mailed = Promise.withResolvers<void>();
    const webhooks = Array.from({ length: 30 }, () => "webhook.deliver");
    const { outbox, sent } = bench([...webhooks, "mail.password_reset"], {
      webhook: () => release.promise,
      mail: async () => mailed.resolve(),
    });
    const work = outbox.deliverDue();
    await mailed.promise;
    release.resolve();
    expect(await work).toBe(31);
    expect(sent).toHaveLength(31);
  });

  test("take one place each: the others of their kind go on", async () => {
    const release = Promise.withResolvers<void>();
    const reached = Promise.withResolvers<void>();
    let quick = 0;
    const deliver = async ({ topic }: OutboxMessage): Promise<void> => {
      if (topic === "webhook.slow") return release.promise;
      if (++quick === 40) reached.resolve();
    };
    const { outbox, sent } = bench(["webhook.slow", ...Array.from({ length: 40 }, () => "webhook.quick")], {
      webhook: deliver,
    });
    const work = outbox.deliverDue();
    await reached.promise;
    expect(sent).not.toContain("webhook.slow");
    release.resolve();
    expect(await work).toBe(41);
  });

  test("hold up none that become due while they are under way", async () => {
    const release = Promise.withResolvers<void>();
    const hangs = Promise.withResolvers<void>();
    const reached = Promise.withResolvers<void>();
    const waiting = [{ id: "slow" }];
    let quick = 0;
    const lane = new Lane({
      claim: async (limit) => waiting.splice(0, limit) as OutboxMessage[],
      async deliver({ id }) {
        if (id === "slow") {
          hangs.resolve();
          return release.promise;
        }
        await Promise.resolve();
        if (++quick === 100) reached.resolve();
      },
    });
    const first = lane.look();
    await hangs.promise;
    // What is looked for while a look is under way is that look's.
    await Bun.sleep(0);
    waiting.push(...Array.from({ length: 100 }, (_, at) => ({ id: `${at}` })));
    await lane.look();
    await reached.promise;
    release.resolve();
    await first;
    expect(waiting).toEqual([]);
  });

  test("are no more than ten at a time", async () => {
    let [atOnce, most] = [0, 0];
    const { outbox } = bench(
      Array.from({ length: 45 }, () => "webhook.deliver"),
      {
        webhook: async () => {
          most = Math.max(most, ++atOnce);
          await Promise.resolve();
          atOnce--;
        },
      },
    );
    expect(await outbox.deliverDue()).toBe(45);
    expect(most).toBe(10);
  });
});
