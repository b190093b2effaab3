import { afterAll, expect, test } from "bun:test";
import { Aggregators, shared, spansOf } from "./in-parallel.ts";
import { medianRanks, rankedMean } from "./ranked-mean.ts";
import { inMemory } from "./values.ts";
import { weightedMean } from "./weighted-mean.ts";

const LENGTH = 800_003;
const rows = [1, 2, 3].map((seed) => Float32Array.from({ length: LENGTH }, (_, at) => Math.sin(at * seed)));
const buffers = rows.map(shared);
const pools = [1, 2, 3].map((threads) => new Aggregators(threads));
afterAll(() => {
  for (const pool of pools) pool.close();
});

const bytesOf = (values: Float32Array) => Bun.hash(new Uint8Array(values.buffer));

test("however many threads there are, the bytes are the same", async () => {
  const mean = bytesOf(weightedMean(rows.map(inMemory), [3, 1, 2]));
  const ranks = medianRanks(3);
  const median = bytesOf(rankedMean(rows.map(inMemory), ranks));
  for (const pool of pools) {
    expect(bytesOf(await pool.run({ kind: "mean", weights: [3, 1, 2] }, buffers))).toBe(mean);
    expect(bytesOf(await pool.run({ kind: "ranks", ranks }, buffers))).toBe(median);
  }
});

test("spans cover every number once, and small models are not cut up", () => {
  expect(spansOf(1000, 8)).toEqual([{ from: 0, to: 1000 }]);
  for (const length of [262_144, 524_289, 5_000_000]) {
    const spans = spansOf(length, 4);
    expect(spans[0]?.from).toBe(0);
    expect(spans.at(-1)?.to).toBe(length);
    for (const [at, span] of spans.entries()) if (at > 0) expect(span.from).toBe(spans[at - 1]?.to ?? -1);
  }
});
