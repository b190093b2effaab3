import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { applyStrategy } from "../strategies/apply-strategy.ts";
import { fedAvg } from "../strategies/averaging.ts";
import { epsilonOf, renyiDivergence } from "./accountant.ts";
import { privateMean } from "./noise.ts";

const normOf = (values: Float32Array, from = new Float32Array(values.length)) =>
  Math.hypot(...values.map((value, at) => value - (from[at] as number)));

test("no change is longer than the clip, and a short one stays as it is", () => {
  const numbers = fc.array(fc.float({ noNaN: true, min: -1000, max: 1000 }), { minLength: 4, maxLength: 4 });
  fc.assert(
    fc.property(numbers, numbers, fc.double({ min: 0.01, max: 100, noNaN: true }), (a, b, norm) => {
      const [values, global] = [Float32Array.from(a), Float32Array.from(b)];
      const updates = [{ participantId: "a", weight: 1, values }];
      const { values: clipped } = applyStrategy(fedAvg(), global, updates, new Map(), norm);
      expect(normOf(clipped, global)).toBeLessThanOrEqual(norm * 1.001 + 1e-3);
      if (normOf(values, global) <= norm * 0.999) expect(clipped).toEqual(values.map((value) => value + 0));
    }),
  );
});

test("the noise has the deviation that is claimed, and the same secret draws the same noise", () => {
  const length = 20_000;
  const updates = ["a", "b", "c", "d"].map((participantId) => ({
    participantId,
    weight: 7,
    values: new Float32Array(length),
  }));
  const draw = (secret: string) =>
    applyStrategy(
      privateMean({ name: "dp", clip: 2, multiplier: 0.5, secret }),
      new Float32Array(length),
      updates,
      new Map(),
    ).values;
  const deviation = Math.sqrt(draw("x").reduce((sum, value) => sum + value * value, 0) / length);
  expect(deviation).toBeGreaterThan(0.245);
  expect(deviation).toBeLessThan(0.255);
  expect(draw("x")).toEqual(draw("x"));
  expect(draw("x")).not.toEqual(draw("y"));
});

describe("the accountant", () => {
  test("knows the Gaussian mechanism without sampling", () => {
    expect(renyiDivergence(1, 2, 8)).toBe(1);
  });

  test("agrees with published values", () => {
    // Abadi et al. 2016 give 1.26 for these by the moments accountant; the conversion used here is somewhat tighter.
    const abadi = epsilonOf({ rates: Array(10_000).fill(0.01), multiplier: 4, delta: 1e-5 });
    expect(abadi).toBeGreaterThan(0.9);
    expect(abadi).toBeLessThan(1.26);
    // The older conversion of the same divergence is that figure.
    const orders = Array.from({ length: 63 }, (_, at) => at + 2);
    const older = Math.min(
      ...orders.map((order) => 10_000 * renyiDivergence(0.01, 4, order) + Math.log(1e5) / (order - 1)),
    );
    expect(older).toBeCloseTo(1.26, 1);
  });

  test("spends more with more rounds, more sampling and less noise", () => {
    const base = { rates: Array<number>(30).fill(0.1), multiplier: 1, delta: 1e-5 };
    const spent = epsilonOf(base);
    expect(epsilonOf({ ...base, rates: [...base.rates, 0.1] })).toBeGreaterThan(spent);
    expect(epsilonOf({ ...base, rates: base.rates.with(7, 0.2) })).toBeGreaterThan(spent);
    expect(epsilonOf({ ...base, multiplier: 0.5 })).toBeGreaterThan(spent);
    expect(epsilonOf({ ...base, multiplier: 0 })).toBe(Number.POSITIVE_INFINITY);
  });
});
