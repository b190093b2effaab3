// `npm run bench:training -- [--models 10] [--numbers 10500000]`: aggregation beside numpy, in the same run on the same machine.

import { cpus } from "node:os";
import { parseArgs } from "node:util";
import { Aggregators, shared } from "../src/training/aggregate/in-parallel.ts";
import { medianRanks, rankedMean, trimmedRanks } from "../src/training/aggregate/ranked-mean.ts";
import { inMemory, type Span } from "../src/training/aggregate/values.ts";
import { weightedMean } from "../src/training/aggregate/weighted-mean.ts";

const { values } = parseArgs({
  options: {
    models: { type: "string", default: "10" },
    numbers: { type: "string", default: "10500000" },
    python: { type: "string", default: "python3" },
  },
});
const [count, numbers] = [Number(values.models), Number(values.numbers)];
const TIMES = 5;

const buffers = Array.from({ length: count }, (_, model) =>
  shared(
    Float32Array.from({ length: numbers }, (_, at) => Math.fround(((at * 2654435761 * (model + 1)) >>> 0) / 2 ** 32)),
  ),
);
const models = buffers.map((buffer) => inMemory(new Float32Array(buffer)));
const weights = models.map((_, at) => at + 1);
const whole: Span = { from: 0, to: numbers };
const out = new Float32Array(numbers);

async function best(work: () => unknown): Promise<{ best: number; median: number }> {
  const times: number[] = [];
  for (let time = 0; time < TIMES; time++) {
    const startedAt = performance.now();
    await work();
    times.push(performance.now() - startedAt);
  }
  times.sort((a, b) => a - b);
  return { best: times[0] ?? 0, median: times[TIMES >> 1] ?? 0 };
}

const pool = new Aggregators();
const ours = {
  "weighted mean, float64 sums, one thread": await best(() => weightedMean(models, weights, whole, out)),
  "weighted mean, all cores": await best(() => pool.run({ kind: "mean", weights }, buffers)),
  "median, one thread": await best(() => rankedMean(models, medianRanks(count), whole, out)),
  "trimmed mean f=2, one thread": await best(() => rankedMean(models, trimmedRanks(count, 2), whole, out)),
};
pool.close();

const NUMPY = `
import json, sys, time
import numpy as np
K, N = ${count}, ${numbers}
ms = [np.random.rand(N).astype('f4') for _ in range(K)]
w = np.arange(1, K + 1, dtype='f4'); w /= w.sum()
def best(f, times):
    taken = []
    for _ in range(times):
        t = time.perf_counter(); f(); taken.append((time.perf_counter() - t) * 1000)
    taken.sort()
    return {"best": taken[0], "median": taken[len(taken) // 2]}
def mean():
    acc = np.zeros(N, 'f4')
    for m, x in zip(ms, w): acc += m * x
S = np.stack(ms)
print(json.dumps({"version": np.__version__, "rows": {
  "weighted mean, numpy float32 expression": best(mean, ${TIMES}),
  "median, numpy": best(lambda: np.median(S, axis=0), 1),
  "trimmed mean f=2, numpy sort": best(lambda: np.sort(S, axis=0)[2:-2].mean(axis=0), 1)}}))
`;
const child = Bun.spawn([values.python, "-c", NUMPY], { stdout: "pipe", stderr: "ignore" });
const text = await new Response(child.stdout).text();
const numpy = (await child.exited) === 0 ? JSON.parse(text) : null;

console.log(
  `${cpus().length} x ${cpus()[0]?.model ?? "unknown"}, Bun ${Bun.version}${numpy ? `, numpy ${numpy.version}` : ""}`,
);
console.log(`${count} models of ${numbers} float32 numbers; best and median of ${TIMES}, ms`);
for (const [name, { best: least, median }] of Object.entries({ ...ours, ...numpy?.rows } as typeof ours)) {
  console.log(`  ${name.padEnd(44)} ${least.toFixed(0).padStart(7)} ${median.toFixed(0).padStart(7)}`);
}
if (numpy === null) console.log("  numpy is not installed for this Python; --python names another one");
