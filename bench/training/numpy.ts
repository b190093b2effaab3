import type { Taken } from "./kernels.ts";

export interface Numpy {
  readonly version: string;
  readonly mean: Taken;
  readonly median: Taken;
  /** `np.partition` at the two ends, then the mean of what is between them. */
  readonly partition: Taken;
  /** `np.sort`, then the mean of what is between the ends: the fastest way that numpy has. */
  readonly sort: Taken;
}

const program = (count: number, numbers: number): string => `
import json, time
import numpy as np
K, N = ${count}, ${numbers}
ms = [np.random.rand(N).astype('f4') for _ in range(K)]
w = np.arange(1, K + 1, dtype='f4'); w /= w.sum()
S = np.stack(ms)
def taken(f, times):
    all = []
    for _ in range(times):
        t = time.perf_counter(); f(); all.append((time.perf_counter() - t) * 1000)
    all.sort()
    return {"best": all[0], "median": all[len(all) // 2]}
def mean():
    acc = np.zeros(N, 'f4')
    for m, x in zip(ms, w): acc += m * x
print(json.dumps({"version": np.__version__,
  "mean": taken(mean, 7),
  "median": taken(lambda: np.median(S, axis=0), 2),
  "partition": taken(lambda: np.partition(S, (2, K - 3), axis=0)[2:-2].mean(axis=0), 2),
  "sort": taken(lambda: np.sort(S, axis=0)[2:-2].mean(axis=0), 2)}))
`;

export async function measureNumpy(python: string, count: number, numbers: number): Promise<Numpy> {
  const env = { ...process.env, OMP_NUM_THREADS: "1", OPENBLAS_NUM_THREADS: "1" };
  const child = Bun.spawn([python, "-c", program(count, numbers)], { stdout: "pipe", env });
  const text = await new Response(child.stdout).text();
  if ((await child.exited) !== 0) throw new Error("numpy could not be measured");
  return JSON.parse(text) as Numpy;
}
