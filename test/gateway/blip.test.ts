import { afterEach, describe, expect, test } from "bun:test";
import { status, WELL } from "../upstreams/moody.ts";
import { type Balanced, balance } from "./balanced.ts";

// Two deployments are dead, and one of another group stands in for them.
const GROUPS = { a1: {}, a2: {}, b1: { group: "b" } };
const STANDS_IN = { fallbacks: [{ g: ["b"] }], routing_strategy: "simple-shuffle" };
let app: Balanced | null = null;
afterEach(async () => {
  await app?.stop();
  app = null;
});

const start = async (entries: Parameters<typeof balance>[0], router: object): Promise<Balanced> => {
  app = await balance(entries, router);
  return app;
};

/** So many calls, some milliseconds apart; how many were not answered. */
async function errorsOf(balanced: Balanced, calls: number, fields: object = {}): Promise<number> {
  let errors = 0;
  for (let call = 0; call < calls; call++) {
    if (typeof (await balanced.served(fields)) === "number") errors++;
    balanced.clock.step(15);
  }
  return errors;
}
const sentTo = ({ upstreams }: Balanced, ...ids: string[]): number =>
  ids.reduce((sum, id) => sum + (upstreams[id]?.calls ?? 0), 0);

// Without rests a retry goes to the other one at once; with them it would have to wait.
describe.each([{ num_retries: 0 }, { disable_cooldowns: true, num_retries: 1 }])(
  "a group that stands in, with %o,",
  (more) => {
    test.each([500, 429])(
      "and fails one call with %i is asked by the next one, however dead the first group is",
      async (code) => {
        const balanced = await start(GROUPS, { ...STANDS_IN, ...more });
        balanced.set(status(500), "a1", "a2");
        expect(await errorsOf(balanced, 60)).toBe(0);
        balanced.set(status(code), "b1");
        await errorsOf(balanced, 1, { num_retries: 0 });
        balanced.set(WELL, "b1");
        expect(await errorsOf(balanced, 200)).toBe(0);
      },
    );

    test("and is dead too is not asked by each call, and is back soon after it is well", async () => {
      const balanced = await start(GROUPS, { ...STANDS_IN, ...more });
      balanced.set(status(500));
      const calls = 1_000;
      expect(await errorsOf(balanced, calls)).toBe(calls);
      expect(sentTo(balanced, "a1", "a2", "b1")).toBeLessThan(calls * 1.2);
      expect(sentTo(balanced, "b1")).toBeGreaterThan(5);
      balanced.set(WELL, "b1");
      await errorsOf(balanced, 250);
      expect(await errorsOf(balanced, 100)).toBe(0);
    });
  },
);

test("a group that stands in and fails now and then has retries of its own", async () => {
  const balanced = await start(
    { ...GROUPS, b2: { group: "b" } },
    { ...STANDS_IN, disable_cooldowns: true, num_retries: 1 },
  );
  balanced.set(status(500), "a1", "a2");
  let errors = await errorsOf(balanced, 60);
  for (let round = 0; round < 10; round++) {
    balanced.set(WELL, "b1", "b2");
    errors += await errorsOf(balanced, 19);
    balanced.set(status(500), round % 2 === 0 ? "b1" : "b2");
    errors += await errorsOf(balanced, 1);
  }
  expect(errors).toBe(0);
});

test("a later level that fails one call is asked by the next one, however dead the first is", async () => {
  const first = { params: { order: 1 } };
  const balanced = await start(
    { a1: first, a2: first, late: { params: { order: 2 } } },
    { disable_cooldowns: true, routing_strategy: "simple-shuffle", num_retries: 1 },
  );
  balanced.set(status(500), "a1", "a2");
  expect(await errorsOf(balanced, 60)).toBe(0);
  balanced.set(status(500), "late");
  await errorsOf(balanced, 1);
  balanced.set(WELL, "late");
  expect(await errorsOf(balanced, 200)).toBe(0);
});

test("a dead group takes no retries from others", async () => {
  const balanced = await start(
    { ...GROUPS, b2: { group: "b" } },
    { disable_cooldowns: true, routing_strategy: "simple-shuffle", num_retries: 1 },
  );
  balanced.set(status(500), "a1", "a2");
  await errorsOf(balanced, 200);
  // Both fail once: the next call meets a deployment that is suspect, and then another one.
  balanced.set(status(500), "b1", "b2");
  await errorsOf(balanced, 1, { model: "b", num_retries: 1 });
  expect(sentTo(balanced, "b1", "b2")).toBe(2);
  balanced.set(WELL, "b1");
  for (let call = 0; call < 3; call++) expect(await balanced.served({ model: "b", num_retries: 1 })).toBe("b1");
});
