import { expect, test } from "bun:test";
import { measureKernels } from "../../bench/training/kernels.ts";
import { simulate } from "../../bench/training/simulation.ts";
import { SeededRandom } from "../../src/training/seeded-random.ts";

// `npm run bench:training` is about time; this is about whether what it measures is right.

test("a simulation learns, asks everybody alike and comes to the same bytes again", () => {
  const simulation = { registered: 20_000, sample: 40, rounds: 30, seed: 3 };
  const first = simulate(simulation);
  expect(first.accuracy).toBeGreaterThan(0.8);
  expect(first.asked).toBeGreaterThan(1100);
  expect(simulate(simulation).values).toEqual(first.values);
  expect(simulate({ ...simulation, seed: 4 }).values).not.toEqual(first.values);
});

test("a sample of many has as many as are wanted, each once, in order, and any of them", () => {
  const items = Array.from({ length: 1000 }, (_, at) => at);
  const seen = new Set<number>();
  for (let time = 0; time < 100; time++) {
    const sample = new SeededRandom("sample", time).sample(items, 50);
    expect(sample).toEqual([...new Set(sample)].sort((a, b) => a - b));
    expect(sample).toHaveLength(50);
    for (const one of sample) seen.add(one);
  }
  expect(seen.size).toBeGreaterThan(950);
  expect(new SeededRandom("all").sample(items, 1000)).toEqual(items);
});

test("the kernels that are measured run", async () => {
  const kernels = await measureKernels(5, 10_000);
  for (const { best } of Object.values(kernels)) expect(best).toBeGreaterThan(0);
});
