import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { joinMeasured, measureSpan } from "../aggregate/measure.ts";
import { inMemory } from "../aggregate/values.ts";
import { medianCosine } from "../cosine.ts";
import { SeededRandom } from "../seeded-random.ts";
import { applyStrategy } from "./apply-strategy.ts";
import { krumScores } from "./robust.ts";
import { createStrategy, STRATEGY_NAMES, type StrategyPlan } from "./strategies.ts";
import type { StrategyState, Update } from "./strategy.ts";

const NONE: StrategyState = new Map();
const random = new SeededRandom("strategies");
const row = (length: number, scale = 1) => Float32Array.from({ length }, () => scale * random.gaussian());
const updatesOf = (rows: readonly Float32Array[]): Update[] =>
  rows.map((values, at) => ({ participantId: `p${at}`, weight: at + 1, values }));
/** Dot products of the changes from a model to others. */
function productsOf(global: Float32Array, models: readonly Float32Array[]): ReadonlyArray<Float64Array> {
  const changes = models.map((values) => ({ values: inMemory(values), base: inMemory(global) }));
  const all = new Set(changes.keys());
  return joinMeasured(changes.length, all, [measureSpan(changes, all, { from: 0, to: global.length })]).products;
}
const plans: StrategyPlan[] = STRATEGY_NAMES.map((name) => ({ name, f: 2, keep: 4 }));

describe("every strategy", () => {
  test.each(plans)("$name gives the same bytes in whatever order replies arrive", (plan) => {
    const global = row(5000);
    const updates = updatesOf(Array.from({ length: 10 }, () => row(5000)));
    const first = applyStrategy(createStrategy(plan), global, updates, NONE);
    for (let time = 0; time < 100; time++) {
      const shuffled = updates.map((update) => ({ update, key: random.bits() })).sort((a, b) => a.key - b.key);
      const again = applyStrategy(
        createStrategy(plan),
        global,
        shuffled.map(({ update }) => update),
        NONE,
      );
      if (Bun.hash(again.values) !== Bun.hash(first.values)) throw new Error(`the bytes differ in try ${time}`);
      for (const [name, values] of first.state) expect(Bun.hash(again.state.get(name) ?? "")).toBe(Bun.hash(values));
    }
  });

  test.each(plans)("$name refuses to work with nobody, and with somebody twice", (plan) => {
    expect(() => applyStrategy(createStrategy(plan), row(3), [], NONE)).toThrow();
    const twice = updatesOf(Array.from({ length: 12 }, () => row(3))).map((update) => ({
      ...update,
      participantId: "p",
    }));
    expect(() => applyStrategy(createStrategy(plan), row(3), twice, NONE)).toThrow("counts once");
  });
});

test("an unknown strategy is refused by its name", () => {
  expect(() => createStrategy({ name: "constructor" })).toThrow("there is no strategy constructor");
});

describe("robust strategies", () => {
  const honest = Array.from({ length: 8 }, () => row(200, 0.01));
  const liars = [0, 1].map(() => Float32Array.from({ length: 200 }, () => -50));
  const updates = updatesOf([...honest.slice(0, 3), ...liars, ...honest.slice(3)]);

  test.each(plans.filter(({ name }) => createStrategy({ name, f: 2, keep: 4 }).robust))(
    "$name is not moved by two liars of ten",
    (plan) => {
      const { values } = applyStrategy(createStrategy(plan), new Float32Array(200), updates, NONE);
      expect(Math.max(...values.map(Math.abs))).toBeLessThan(0.1);
    },
  );

  test("the plain mean is", () => {
    const { values } = applyStrategy(createStrategy({ name: "fedavg" }), new Float32Array(200), updates, NONE);
    expect(Math.max(...values.map(Math.abs))).toBeGreaterThan(5);
  });

  test("Krum names whom it took, and takes no liar", () => {
    const { counted } = applyStrategy(
      createStrategy({ name: "multi_krum", f: 2, keep: 8 }),
      new Float32Array(200),
      updates,
      NONE,
    );
    expect(counted).toEqual(["p0", "p1", "p2", "p5", "p6", "p7", "p8", "p9"]);
  });

  test("a number that cannot work is refused before a round begins", () => {
    expect(createStrategy({ name: "krum", f: 2 }).refuses(6)).toContain("needs 7 updates");
    expect(createStrategy({ name: "trimmed_mean", f: 2 }).refuses(4)).toContain("more than 4 updates");
    expect(createStrategy({ name: "trimmed_mean", f: 0 }).refuses(4)).toContain("f of 1 or more");
    expect(createStrategy({ name: "multi_krum", f: 1, keep: 5 }).refuses(5)).toContain("no more than 4");
  });

  test("distances between large models with small changes keep their digits", () => {
    const base = Float32Array.from({ length: 100_000 }, () => 1 + random.uniform());
    const models = Array.from({ length: 5 }, () => base.map((value) => value + 1e-3 * random.gaussian()));
    const scores = krumScores(productsOf(base, models), 1);
    const exact = models.map((own) => {
      const distances = models
        .filter((other) => other !== own)
        .map((other) => other.reduce((sum, value, at) => sum + (value - (own[at] as number)) ** 2, 0));
      return distances
        .sort((x, y) => x - y)
        .slice(0, 2)
        .reduce((sum, distance) => sum + distance, 0);
    });
    scores.forEach((score, at) => {
      expect(Math.abs(score / (exact[at] as number) - 1)).toBeLessThan(1e-3);
    });
  });

  test("updates that point apart are told by their cosine", () => {
    const cosineOf = (...changes: number[][]) =>
      medianCosine(
        productsOf(
          new Float32Array(2),
          changes.map((values) => Float32Array.from(values)),
        ),
        [...changes.keys()],
      );
    expect(cosineOf([1, 0], [2, 0])).toBe(1);
    expect(cosineOf([1, 0], [0, 1])).toBe(0);
    expect(cosineOf([1, 0], [-1, 0])).toBe(-1);
    const agreed = Array.from({ length: 8 }, () => [1, 0]);
    expect(cosineOf(...agreed, [-4, 0], [-4, 0])).toBe(1);
    expect(cosineOf([1, 0])).toBe(1);
  });
});

describe("strategies with a memory", () => {
  test("FedAdam takes the step of its formula", () => {
    const strategy = createStrategy({ name: "fedadam", learningRate: 0.1, beta1: 0.9, beta2: 0.99, tau: 0.5 });
    const { values, state } = applyStrategy(
      strategy,
      Float32Array.of(1),
      [{ participantId: "a", weight: 3, values: Float32Array.of(2) }],
      NONE,
    );
    const second = Math.fround(0.99 * 0.25 + 0.01);
    expect(state.get("second")?.[0]).toBe(second);
    expect(values[0]).toBe(Math.fround(1 + (0.1 * Math.fround(0.1)) / (Math.sqrt(second) + 0.5)));
  });

  test("going on from a stored state gives what going on in memory gives", () => {
    fc.assert(
      fc.property(fc.constantFrom("fedadam", "fedyogi", "fedadagrad", "fedavgm"), fc.integer(), (name, seed) => {
        const own = new SeededRandom(seed);
        const values = () => Float32Array.from({ length: 9 }, () => own.gaussian());
        let global: Float32Array = values();
        let stored: Float32Array = global.slice();
        let [state, copied]: StrategyState[] = [NONE, NONE];
        for (let round = 0; round < 4; round++) {
          const updates = updatesOf([values(), values()]);
          const next = applyStrategy(createStrategy({ name }), global, updates, state as StrategyState);
          const again = applyStrategy(createStrategy({ name }), stored, updates, copied as StrategyState);
          [global, state] = [next.values, next.state];
          stored = new Float32Array(again.values.slice().buffer);
          copied = new Map([...again.state].map(([key, array]) => [key, array.slice()]));
        }
        expect(stored).toEqual(global);
      }),
      { numRuns: 30 },
    );
  });

  test("a stale update counts less, by the root of its age", () => {
    const updates = [
      { participantId: "a", weight: 9, values: Float32Array.of(1), staleness: 0 },
      { participantId: "b", weight: 1, values: Float32Array.of(0), staleness: 3 },
    ];
    const { values } = applyStrategy(createStrategy({ name: "fedbuff" }), Float32Array.of(0), updates, NONE);
    expect(values[0]).toBeCloseTo(1 / 1.5, 6);
  });
});
