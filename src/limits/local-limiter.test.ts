import { expect, test } from "bun:test";
import fc from "fast-check";
import { runs } from "../../test/property-runs.ts";
import { LocalLimiter } from "./local-limiter.ts";
import type { Meter, Permit } from "./meter.ts";
import { WINDOW_MS } from "./sliding-window.ts";
import { Windows } from "./windows.ts";

const owner = { scope: "key", model: null };
const requests = (limit: number, id = "r"): Meter => ({ id, counted: "requests", limit, owner, headers: null });
const tokens = (limit: number, id = "t"): Meter => ({ id, counted: "tokens", limit, owner, headers: null });
const parallel = (limit: number, id = "p"): Meter => ({ id, counted: "parallel", limit, owner, headers: null });

/** Times between calls: bursts, slot borders and whole windows all turn up. */
const pauses = fc.oneof(fc.constant(0), fc.nat(50), fc.nat(2_000), fc.constantFrom(999, 1000, 59_999, 60_000, 61_000));
const histories = fc.array(pauses, { minLength: 1, maxLength: 120 });

test("never more than the limit is let in, in any sixty seconds", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 12 }), fc.nat(5000), histories, (limit, start, history) => {
      let now = start;
      const limiter = new LocalLimiter(() => now);
      const meters = [requests(limit)];
      const letIn: number[] = [];
      for (const pause of history) {
        now += pause;
        if (limiter.take(meters, 0).admitted) letIn.push(now);
      }
      for (const from of letIn) {
        expect(letIn.filter((at) => at >= from && at < from + WINDOW_MS).length).toBeLessThanOrEqual(limit);
      }
    }),
    { numRuns: runs(300) },
  );
});

test("never more tokens than the limit are taken in any sixty seconds, whatever calls give back", () => {
  const steps = fc.array(fc.tuple(pauses, fc.integer({ min: 1, max: 80 }), fc.nat(80)), { maxLength: 80 });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 100 }), steps, (limit, history) => {
      let now = 0;
      const limiter = new LocalLimiter(() => now);
      const used: { at: number; tokens: number }[] = [];
      for (const [pause, estimate, real] of history) {
        now += pause;
        const decision = limiter.take([tokens(limit)], estimate);
        if (!decision.admitted) continue;
        const taken = Math.min(estimate, limit);
        const actual = Math.min(real, taken);
        used.push({ at: now, tokens: actual });
        decision.end(actual);
      }
      for (const { at: from } of used) {
        const within = used.filter(({ at }) => at >= from && at < from + WINDOW_MS);
        expect(within.reduce((sum, one) => sum + one.tokens, 0)).toBeLessThanOrEqual(limit);
      }
    }),
    { numRuns: runs(300) },
  );
});

test("whoever waits as long as told gets through", () => {
  const calls = fc.array(fc.tuple(pauses, fc.integer({ min: 1, max: 500 })), { minLength: 1, maxLength: 60 });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 10 }), fc.integer({ min: 1, max: 200 }), calls, (rpm, tpm, history) => {
      let now = 7;
      const limiter = new LocalLimiter(() => now);
      const meters = [requests(rpm), tokens(tpm)];
      for (const [pause, estimate] of history) {
        now += pause;
        const decision = limiter.take(meters, estimate);
        if (decision.admitted) continue;
        expect(decision.retryMs).toBeGreaterThan(0);
        now += decision.retryMs;
        expect(limiter.take(meters, estimate).admitted).toBe(true);
      }
    }),
    { numRuns: runs(300) },
  );
});

test("all of a limit may be used at once, and all of it is back a minute later", () => {
  let now = 500;
  const limiter = new LocalLimiter(() => now);
  const burst = () => Array.from({ length: 12 }, () => limiter.take([requests(10)], 0).admitted);
  expect(burst().filter(Boolean)).toHaveLength(10);
  now += 61_000;
  expect(burst().filter(Boolean)).toHaveLength(10);
});

test("a call that one limit refuses takes nothing from the others", () => {
  const limiter = new LocalLimiter(() => 0);
  const wide = requests(5, "wide");
  const narrow = requests(1, "narrow");
  expect(limiter.take([wide, narrow], 0).admitted).toBe(true);
  for (let i = 0; i < 10; i++)
    expect(limiter.take([wide, narrow], 0)).toMatchObject({ admitted: false, meter: narrow });
  expect(limiter.take([wide], 0).states).toMatchObject([{ remaining: 3 }]);
});

test("calls at one time are counted until they end, each once", () => {
  const limiter = new LocalLimiter(() => 0);
  const [first, second] = [limiter.take([parallel(2)], 0), limiter.take([parallel(2)], 0)] as [Permit, Permit];
  expect(limiter.take([parallel(2)], 0)).toMatchObject({ admitted: false, retryMs: 1000 });
  first.end(null);
  first.end(null);
  expect(limiter.take([parallel(2)], 0).admitted).toBe(true);
  expect(limiter.take([parallel(2)], 0).admitted).toBe(false);
  second.end(null);
  expect(limiter.take([parallel(2)], 0).admitted).toBe(true);
});

test("tokens are taken by the estimate and set right by what was used", () => {
  const limiter = new LocalLimiter(() => 0);
  const left = (decision: { states: readonly { remaining: number }[] }) => decision.states[0]?.remaining;
  const first = limiter.take([tokens(100)], 60) as Permit;
  expect(left(first)).toBe(40);
  first.end(10);
  const second = limiter.take([tokens(100)], 1) as Permit;
  expect(left(second)).toBe(89);
  second.end(500);
  expect(limiter.take([tokens(100)], 1).admitted).toBe(false);
});

test("a call that is larger than the limit goes when nothing else was used", () => {
  let now = 0;
  const limiter = new LocalLimiter(() => now);
  expect(limiter.take([tokens(100)], 5000).admitted).toBe(true);
  const refused = limiter.take([tokens(100)], 1);
  expect(refused.admitted).toBe(false);
  now += 61_000;
  expect(limiter.take([tokens(100)], 5000).admitted).toBe(true);
});

test("what is idle is forgotten, and a flood of names has a bound", () => {
  let now = 0;
  const limiter = new LocalLimiter(() => now, undefined, new Windows(1000));
  for (let i = 0; i < 10_000; i++) limiter.take([requests(5, `user ${i}`)], 0);
  expect(limiter.windows.size).toBeLessThanOrEqual(2000);
  now += 200_000;
  limiter.take([requests(5, "one")], 0);
  expect(limiter.windows.size).toBe(1);
});

test("a limit that is asked about now and then is not forgotten while it counts", () => {
  let now = 0;
  const limiter = new LocalLimiter(() => now);
  let letIn = 0;
  for (now = 0; now < 700_000; now += 10_000) if (limiter.take([requests(1)], 0).admitted) letIn++;
  // At 0, 70, 140 seconds and so on: the first question after 61 seconds.
  expect(letIn).toBe(10);
});
