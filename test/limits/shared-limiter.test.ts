import { afterAll, beforeAll, expect, test } from "bun:test";
import fc from "fast-check";
import { Redis } from "../../src/lib/redis.ts";
import { LocalLimiter } from "../../src/limits/local-limiter.ts";
import { MemoryLimitStore } from "../../src/limits/memory-limit-store.ts";
import type { Decision, Permit } from "../../src/limits/meter.ts";
import { RedisLimitStore } from "../../src/limits/redis-limit-store.ts";
import { namesOf } from "../../src/limits/scripts.ts";
import { SharedLimiter } from "../../src/limits/shared-limiter.ts";
import { findRedis, type RedisServer, startRedis } from "../services/redis.ts";
import { fleet, type MakeHouse, meter, START_MS, timers } from "./limiter-fleet.ts";

const installed = findRedis() !== null;
if (!installed) console.log("skip: neither redis-server nor valkey-server is installed");

let server: RedisServer;
let redis: Redis;
beforeAll(async () => {
  if (!installed) return;
  server = (await startRedis()) as RedisServer;
  redis = new Redis(server.url);
  await redis.start();
});
afterAll(async () => {
  redis?.close();
  await server?.stop();
});

const overRedis =
  (over: () => Pick<Redis, "connected" | "send"> = () => redis): MakeHouse =>
  async (clock) => {
    await redis.send("FLUSHALL", []);
    return new RedisLimitStore({ redis: over(), installation: "one", redisTime: () => START_MS + clock.now });
  };
const inMemory: MakeHouse = async (clock) => {
  const store = new MemoryLimitStore("one", () => START_MS + clock.now);
  return {
    connected: true,
    take: async (process, asks) => store.take(process, asks),
    tell: async (process, changes) => store.tell(process, changes),
    leave: async (process) => store.leave(process),
  };
};
const HOUSES: [string, MakeHouse][] = [
  ...(installed ? [["Redis", overRedis()] as [string, MakeHouse]] : []),
  ["memory", inMemory],
];

const seen = (decision: Decision) => ({
  admitted: decision.admitted,
  retryMs: decision.admitted ? 0 : decision.retryMs,
  states: decision.states.map(({ remaining, resetMs }) => [remaining, resetMs]),
});

const pauses = fc.oneof(fc.constant(0), fc.nat(2_000), fc.constantFrom(1000, 20_000, 60_000, 61_000));
const steps = fc.array(
  fc.record({
    pause: pauses,
    process: fc.nat(2),
    tokens: fc.integer({ min: 1, max: 80 }),
    used: fc.nat(120),
    ends: fc.nat(3),
  }),
  { minLength: 1, maxLength: 50 },
);

test.each(HOUSES)("many processes over %s decide as one process alone does", async (_, make) => {
  await fc.assert(
    fc.asyncProperty(steps, fc.integer({ min: 1, max: 6 }), async (history, limit) => {
      const clock = { now: 0 };
      const { of, beat } = await fleet(3, clock, make);
      const model = new LocalLimiter(() => clock.now);
      const meters = [meter("requests", limit * 2), meter("tokens", limit * 40), meter("parallel", limit)];
      const open: [Permit, Permit][] = [];
      for (const step of history) {
        clock.now += step.pause;
        await beat();
        const [told, expected] = [await of(step.process).take(meters, step.tokens), model.take(meters, step.tokens)];
        // A process that knows by itself that there is no room does not ask, so what is left of other limits may differ.
        expect(told.admitted).toBe(expected.admitted);
        if (told.admitted && expected.admitted) {
          expect(seen(told)).toEqual(seen(expected));
          open.push([told, expected]);
        }
        for (const pair of open.splice(0, step.ends)) for (const permit of pair) permit.end(step.used);
      }
    }),
    { numRuns: 60 },
  );
});

test.each(HOUSES)("over %s, calls that are sent at once are let in up to the limit and no further", async (_, make) => {
  const clock = { now: 0 };
  const { of } = await fleet(2, clock, make);
  for (const counted of ["requests", "parallel"] as const) {
    const limit = meter(counted, 50);
    const asked = Array.from({ length: 200 }, (_, index) => of(index).take([limit], 0));
    const letIn = (await Promise.all(asked)).filter(({ admitted }) => admitted);
    expect(letIn).toHaveLength(50);
  }
});

test("in memory, the places of a process that is gone are free at once", async () => {
  const { limiters, of } = await fleet(2, { now: 0 }, inMemory);
  const limit = [meter("parallel", 2)];
  expect((await of(0).take(limit, 0)).admitted).toBe(true);
  expect((await of(1).take(limit, 0)).admitted).toBe(true);
  expect((await of(1).take(limit, 0)).admitted).toBe(false);
  await limiters[0]?.close();
  expect((await of(1).take(limit, 0)).admitted).toBe(true);
  expect((await of(1).take(limit, 0)).admitted).toBe(false);
});

test.skipIf(!installed)("the places of a process that died are free again, those of a living one are not", async () => {
  const clock = { now: 0 };
  const { of } = await fleet(2, clock, overRedis());
  const limit = [meter("parallel", 2)];
  expect((await of(0).take(limit, 0)).admitted).toBe(true);
  expect((await of(1).take(limit, 0)).admitted).toBe(true);
  expect((await of(1).take(limit, 0)).admitted).toBe(false);
  // Only the second says that it lives.
  for (let i = 0; i < 4; i++) {
    clock.now += 5_000;
    await of(1).start();
  }
  expect((await of(1).take(limit, 0)).admitted).toBe(true);
  expect((await of(1).take(limit, 0)).admitted).toBe(false);
});

test.skipIf(!installed)(
  "a Redis whose clock is set back counts what was taken for a minute, and the dead not at all",
  async () => {
    const clock = { now: 0 };
    let aheadMs = 0;
    const { of, beat } = await fleet(2, clock, async () => {
      await redis.send("FLUSHALL", []);
      return new RedisLimitStore({ redis, installation: "one", redisTime: () => START_MS + clock.now + aheadMs });
    });
    const limit = [meter("requests", 4)];
    const places = [meter("parallel", 2)];
    for (let i = 0; i < 4; i++) expect((await of(i).take(limit, 0)).admitted).toBe(true);
    expect((await of(0).take(limit, 0)).admitted).toBe(false);
    expect((await of(0).take(places, 0)).admitted).toBe(true);
    aheadMs = -3_600_000;
    await beat();
    for (let i = 0; i < 13; i++) {
      clock.now += 5_000;
      await of(1).start();
    }
    for (let i = 0; i < 4; i++) expect((await of(1).take(limit, 0)).admitted).toBe(true);
    expect((await of(1).take(limit, 0)).admitted).toBe(false);
    // The first one said last that it lives a minute ago.
    for (let i = 0; i < 2; i++) expect((await of(1).take(places, 0)).admitted).toBe(true);
    expect((await of(1).take(places, 0)).admitted).toBe(false);
  },
);

test.skipIf(!installed)(
  "without Redis each process has its share, and what it took is known when Redis is back",
  async () => {
    const clock = { now: 0 };
    let away = false;
    const link = {
      get connected() {
        return redis.connected && !away;
      },
      send: (command: string, args: readonly string[]) =>
        away ? Promise.reject(new Error("away")) : redis.send(command, args),
    };
    const { of, beat } = await fleet(
      2,
      clock,
      overRedis(() => link),
    );
    const limit = [meter("requests", 10)];
    const letIn = async (tries: number): Promise<number> => {
      let count = 0;
      for (let i = 0; i < tries; i++) if ((await of(i).take(limit, 0)).admitted) count++;
      return count;
    };
    expect(await letIn(4)).toBe(4);
    away = true;
    // Each has five, of which two are used already.
    expect(await letIn(40)).toBe(6);
    away = false;
    await beat();
    expect(of(0).shared).toBe(true);
    expect(await letIn(40)).toBe(0);
    clock.now += 61_000;
    expect(await letIn(40)).toBe(10);
  },
);

test.skipIf(!installed)("a Redis that comes back empty is told what counts", async () => {
  const clock = { now: 0 };
  const { of, beat } = await fleet(2, clock, overRedis());
  const limit = [meter("requests", 10), meter("parallel", 9, "calls")];
  for (let i = 0; i < 8; i++) expect((await of(0).take(limit, 0)).admitted).toBe(true);
  await redis.send("FLUSHALL", []);
  await redis.send("SCRIPT", ["FLUSH"]);
  await beat();
  await beat();
  expect((await of(1).take(limit, 0)).admitted).toBe(true);
  expect(await of(1).take(limit, 0)).toMatchObject({ admitted: false, meter: { id: "calls" } });
});

test.skipIf(!installed)(
  "a Redis that comes back empty is counted in when all have told it what they took",
  async () => {
    const clock = { now: 0 };
    const { of } = await fleet(2, clock, overRedis());
    const limit = [meter("requests", 10)];
    const letIn = async (process: number): Promise<number> => {
      const all = await Promise.all(Array.from({ length: 20 }, () => of(process).take(limit, 0)));
      return all.filter(({ admitted }) => admitted).length;
    };
    expect(await letIn(1)).toBe(10);
    await redis.send("FLUSHALL", []);
    clock.now += 1;
    // The first one that speaks is the only one that Redis knows of: it goes on with its share.
    await of(0).start();
    expect([of(0).shared, of(0).processCount, await letIn(0)]).toEqual([false, 2, 5]);
    await of(1).start();
    await of(0).start();
    expect([of(0).shared, of(0).processCount, await letIn(0)]).toEqual([true, 2, 0]);

    // One that does not speak again has died.
    await redis.send("FLUSHALL", []);
    clock.now += 1;
    await of(0).start();
    expect([of(0).shared, of(0).processCount]).toEqual([false, 2]);
    clock.now += 15_000;
    await of(0).start();
    expect([of(0).shared, of(0).processCount]).toEqual([true, 1]);
  },
);

test.skipIf(!installed)(
  "a Redis that was emptied decides about nothing before it was told, not even what is asked next",
  async () => {
    const clock = { now: 0 };
    const { of, beat } = await fleet(2, clock, overRedis());
    const limits = [meter("requests", 10), meter("parallel", 10, "calls")];
    const take = (process: number) => Promise.all(Array.from({ length: 20 }, () => of(process).take(limits, 0)));
    const admitted = (all: Decision[]) => all.filter((one) => one.admitted).length;
    expect(admitted(await take(1))).toBe(10);
    await redis.send("FLUSHALL", []);
    clock.now += 1;
    // Nobody has spoken to it since. The first one has its share, and nothing of the rest is taken.
    expect(admitted(await take(0))).toBe(5);
    await beat();
    await beat();
    expect([of(0).shared, of(1).shared]).toEqual([true, true]);
    expect([admitted(await take(0)), admitted(await take(1))]).toEqual([0, 0]);
    // All that was let in is counted there, and nothing else.
    const counted = async (id: string) =>
      ((await redis.send("HVALS", [namesOf("one").ofMeter(id)])) as string[]).reduce(
        (sum, one) => sum + Number(one),
        0,
      );
    expect([await counted("requests"), await counted("calls")]).toEqual([15, 15]);
  },
);

test.skipIf(!installed)("a server that stops answering leads to shares, never to an error", async () => {
  const own = (await startRedis()) as RedisServer;
  const told: string[] = [];
  let wake = (): void => undefined;
  const link = new Redis(own.url, {
    listener: {
      connected() {
        told.push("connected");
        wake();
      },
    },
  });
  await link.start();
  const limiter = new SharedLimiter({
    store: new RedisLimitStore({ redis: link, installation: "one" }),
    process: "a",
    nowMs: () => performance.now(),
    timers,
  });
  await limiter.start();
  const limit = [meter("requests", 3)];
  expect((await limiter.take(limit, 0)).admitted).toBe(true);
  own.pause();
  const during = await Promise.all([1, 2, 3].map(() => limiter.take(limit, 0)));
  expect(during.filter(({ admitted }) => admitted)).toHaveLength(2);
  expect(limiter.shared).toBe(false);
  own.resume();
  while (told.length < 2) await new Promise<void>((resolve) => (wake = resolve));
  await limiter.start();
  expect(limiter.shared).toBe(true);
  link.close();
  await own.stop();
});

test("one that begins while the house is away takes no more than its part among the workers of its server", async () => {
  const away = async (): Promise<never> => {
    throw new Error("away");
  };
  const store = { connected: false, take: away, tell: away, leave: away };
  const limiter = new SharedLimiter({ store, process: "late", atLeast: 4, nowMs: () => 0, timers });
  await limiter.start();
  const taken = await Promise.all(Array.from({ length: 12 }, () => limiter.take([meter("requests", 12)], 0)));
  expect(taken.filter(({ admitted }) => admitted)).toHaveLength(3);
});

test.skipIf(!installed)("installations that share a Redis know nothing of each other", async () => {
  await redis.send("FLUSHALL", []);
  const [here, there] = ["one", "two"].map(
    (installation) =>
      new SharedLimiter({
        store: new RedisLimitStore({ redis, installation }),
        process: installation,
        nowMs: () => performance.now(),
        timers,
      }),
  ) as [SharedLimiter, SharedLimiter];
  for (const limiter of [here, there, here, there]) await limiter.start();
  expect([here.shared, there.shared, here.processCount, there.processCount]).toEqual([true, true, 1, 1]);
  const limits = [meter("requests", 1), meter("parallel", 1)];
  expect((await here.take(limits, 0)).admitted).toBe(true);
  expect((await here.take(limits, 0)).admitted).toBe(false);
  expect((await there.take(limits, 0)).admitted).toBe(true);
});
