import { describe, expect, test } from "bun:test";
import { createLogger } from "../lib/log.ts";
import { type Deliverer, Outbox, retryDelayMs, Undeliverable } from "./outbox.ts";
import type { OutboxMessage, OutboxStore } from "./store.ts";

const START = 1_763_000_000_000;
const DAY_MS = 24 * 60 * 60_000;

/** One message in memory, on a clock that the test moves. */
function bench(deliver: Deliverer, topic = "mail.test") {
  let nowMs = START;
  const state = { dueAt: START as number | null, attempts: 0, sent: 0, failed: 0, error: "" };
  const store: OutboxStore = {
    async claim(prefix, now, leaseUntilMs) {
      if (!topic.startsWith(`${prefix}.`)) return [];
      if (state.dueAt === null || state.dueAt > now) return [];
      state.dueAt = leaseUntilMs;
      return [{ id: "m", topic, payload: {}, attempts: ++state.attempts, createdAt: START }];
    },
    async sent() {
      Object.assign(state, { dueAt: null, sent: state.sent + 1 });
    },
    async postpone(_, dueAt, error) {
      Object.assign(state, { dueAt, error });
    },
    async failed(_, __, error) {
      Object.assign(state, { dueAt: null, failed: state.failed + 1, error });
    },
    prune: async () => 0,
  };
  const clock = { nowMs: () => nowMs, monotonicMs: () => nowMs };
  const logged: string[] = [];
  const log = createLogger("debug", (line) => logged.push(line));
  const outbox = new Outbox({ store, deliverers: { mail: deliver }, clock, log });
  return { outbox, state, logged, store, pass: (ms: number) => (nowMs += ms) };
}

describe("the outbox's worker", () => {
  test("delivers a message once", async () => {
    const got: OutboxMessage[] = [];
    const { outbox, state } = bench(async (message) => void got.push(message));
    expect(await outbox.deliverDue()).toBe(1);
    expect(await outbox.deliverDue()).toBe(0);
    expect(got.map(({ id }) => id)).toEqual(["m"]);
    expect(state.sent).toBe(1);
  });

  test("tries again after pauses that double, up to an hour, and gives up after three days", async () => {
    const { outbox, state, pass, logged } = bench(async () => {
      throw new Error("no answer from the server");
    });
    const pauses: number[] = [];
    let waited = 0;
    for (let round = 0; round < 1_000 && state.failed === 0; round++) {
      await outbox.deliverDue();
      if (state.dueAt === null) break;
      const pause = state.dueAt - START - waited;
      pauses.push(pause);
      pass(pause - 1);
      expect(await outbox.deliverDue()).toBe(0);
      pass(1);
      waited += pause;
    }
    expect(pauses.slice(0, 4)).toEqual([1_000, 2_000, 4_000, 8_000]);
    expect(Math.max(...pauses)).toBe(60 * 60_000);
    expect(waited).toBeGreaterThan(3 * DAY_MS - 2 * 60 * 60_000);
    expect(waited).toBeLessThanOrEqual(3 * DAY_MS);
    expect(state).toMatchObject({ failed: 1, sent: 0, error: "no answer from the server" });
    expect(logged.at(-1)).toContain("given up");
  });

  test("gives up at once what can never be delivered", async () => {
    const { outbox, state } = bench(async () => {
      throw new Undeliverable("this makes no sense");
    });
    await outbox.deliverDue();
    expect(state).toMatchObject({ failed: 1, attempts: 1, error: "this makes no sense" });
  });

  test("leaves what nobody here delivers for somebody who does", async () => {
    const { outbox, state } = bench(async () => undefined, "webhook.test");
    await outbox.deliverDue();
    expect(state).toMatchObject({ failed: 0, sent: 0, attempts: 0, dueAt: START });
  });

  test("asked twice at once, works once", async () => {
    let calls = 0;
    const { outbox } = bench(async () => void calls++);
    expect(await Promise.all([outbox.deliverDue(), outbox.deliverDue()])).toEqual([1, 1]);
    expect(calls).toBe(1);
  });

  test("says once that the database is away, and goes on when it is back", async () => {
    const { outbox, state, store, logged } = bench(async () => undefined);
    const { claim } = store;
    store.claim = () => Promise.reject(new Error("away"));
    for (let look = 0; look < 3; look++) expect(await outbox.deliverDue()).toBe(0);
    expect(logged).toHaveLength(1);
    store.claim = claim;
    expect(await outbox.deliverDue()).toBe(1);
    expect(state.sent).toBe(1);
  });

  test("removes what is old once at a time, says when it cannot, and tries again a minute later", async () => {
    const { outbox, store, logged, pass } = bench(async () => undefined);
    const pruned = Promise.withResolvers<number>();
    let times = 0;
    store.prune = () => {
      times++;
      return times === 1 ? pruned.promise : Promise.resolve(0);
    };
    const first = outbox.deliverDue();
    const stopped = outbox.stop();
    pruned.reject(new Error("locked"));
    await Promise.all([first, stopped]);
    expect(logged.join("")).toContain("old messages of the outbox could not be removed");
    await outbox.deliverDue();
    expect(times).toBe(1);
    pass(60_000);
    await outbox.deliverDue();
    pass(60_000);
    await outbox.deliverDue();
    expect(times).toBe(2);
  });

  test("once stopped it takes nothing new, and waits for what is under way", async () => {
    const release = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    const { outbox, state } = bench(async () => {
      begun.resolve();
      await release.promise;
    });
    const work = outbox.deliverDue();
    await begun.promise;
    const stopped = outbox.stop().then(() => state.sent);
    release.resolve();
    expect(await stopped).toBe(1);
    await work;
    state.dueAt = START;
    expect(await outbox.deliverDue()).toBe(0);
  });

  test("pauses stay finite however often it was tried", () => {
    expect(retryDelayMs(5_000)).toBe(60 * 60_000);
  });
});
