import { medianRanks, rankedMean, trimmedRanks } from "../../src/training/aggregate/ranked-mean.ts";
import { inMemory } from "../../src/training/aggregate/values.ts";
import { weightedMean } from "../../src/training/aggregate/weighted-mean.ts";
import type { Choice } from "../../src/training/strategies/strategy.ts";
import { Aggregators } from "../../src/training/threads/aggregators.ts";
import { sharedSource } from "../../src/training/threads/source.ts";

/** The best and the median of some times, in milliseconds. */
export interface Taken {
  readonly best: number;
  readonly median: number;
}

const TIMES = 7;

async function taken(work: () => unknown): Promise<Taken> {
  const times: number[] = [];
  for (let time = 0; time < TIMES; time++) {
    const startedAt = performance.now();
    await work();
    times.push(performance.now() - startedAt);
  }
  times.sort((a, b) => a - b);
  return { best: times[0] ?? 0, median: times[TIMES >> 1] ?? 0 };
}

export interface Kernels {
  readonly mean: Taken;
  readonly meanInThreads: Taken;
  readonly median: Taken;
  readonly trimmed: Taken;
  readonly trimmedInThreads: Taken;
}

/** Bringing the numbers into the kernels' memory is part of the time. */
export async function measureKernels(count: number, numbers: number): Promise<Kernels> {
  const sources = Array.from({ length: count }, (_, model) =>
    sharedSource(
      Float32Array.from({ length: numbers }, (_, at) => (Math.imul(at + 1, 2654435761 * (model + 1)) >>> 0) / 2 ** 32),
    ),
  );
  const models = sources.map((source) => inMemory(new Float32Array(source.shared)));
  const weights = models.map((_, at) => at + 1);
  const [whole, out] = [{ from: 0, to: numbers }, new Float32Array(numbers)];
  const trimmed = trimmedRanks(count, 2);
  const threads = new Aggregators();
  const changes = sources.map((values) => ({ values, base: null, factor: 1 }));
  const inThreads = (choice: Choice) =>
    threads.fold({ strategy: { name: "fedavg" }, choice, changes, global: null, memory: {} });
  const places = models.map((_, at) => at);
  const kernels = {
    mean: await taken(() => weightedMean(models, weights, whole, out)),
    meanInThreads: await taken(() => inThreads({ kind: "mean", places, weights })),
    median: await taken(() => rankedMean(models, medianRanks(count), whole, out)),
    trimmed: await taken(() => rankedMean(models, trimmed, whole, out)),
    trimmedInThreads: await taken(() => inThreads({ kind: "ranks", places, ranks: trimmed })),
  };
  threads.close();
  return kernels;
}
