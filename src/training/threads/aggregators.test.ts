import { afterAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isNightly } from "../../../test/property-runs.ts";
import { clipFactors } from "../privacy/clip.ts";
import { SeededRandom } from "../seeded-random.ts";
import { applyStrategy } from "../strategies/apply-strategy.ts";
import { STRATEGY_NAMES, type StrategySpec, strategyOf } from "../strategies/strategies.ts";
import type { StrategyState } from "../strategies/strategy.ts";
import { Aggregators, spansOf } from "./aggregators.ts";
import { type Source, sharedSource } from "./source.ts";

const LENGTH = 400_003;
const CLIP = 300;
const random = new SeededRandom("aggregators");
const row = (scale: number) => Float32Array.from({ length: LENGTH }, () => scale * (random.uniform() - 0.5));
const global = row(2);
const rows = Array.from({ length: 7 }, (_, at) => row(1 + at).map((value, place) => value + (global[place] as number)));
const folder = mkdtempSync(join(tmpdir(), "turnpike-aggregators-"));
const pools = (isNightly ? [1, 2, 3] : [1, 3]).map((threads) => new Aggregators(threads));
afterAll(() => {
  for (const pool of pools) pool.close();
  rmSync(folder, { recursive: true });
});

/** Behind a few other bytes, as in a model's file. */
function inFile(name: string, values: Float32Array): Source {
  const path = join(folder, name);
  writeFileSync(path, Buffer.concat([Buffer.from("head!"), new Uint8Array(values.buffer)]));
  return { path, offset: 5, length: values.length };
}
const files = { global: inFile("global", global), rows: rows.map((values, at) => inFile(String(at), values)) };
const memory = { global: sharedSource(global), rows: rows.map(sharedSource) };

const noise: StrategySpec = { name: "dp", clip: CLIP, multiplier: 0.1, secret: "x" };
const specs: StrategySpec[] = [...STRATEGY_NAMES.map((name) => ({ name, f: 2, keep: 4 })), noise];
const hashOf = (values: Float32Array) => Bun.hash(new Uint8Array(values.slice().buffer));
const hashes = (values: Float32Array, state: StrategyState) => [
  hashOf(values),
  ...[...state].map(([name, own]) => `${name} ${hashOf(own)}`),
];

async function inThreads(pool: Aggregators, spec: StrategySpec, sources: typeof files) {
  const strategy = strategyOf(spec);
  const changes = sources.rows.map((values) => ({ values, base: sources.global }));
  const measured = await pool.measure({ changes, compared: changes.map((_, at) => at) });
  const factors = clipFactors(measured.products, CLIP);
  const choice = strategy.choose(
    rows.map((_, at) => ({ weight: at + 1 })),
    measured.products,
  );
  const counted = choice.places.map((place) => ({
    ...(changes[place] as (typeof changes)[0]),
    factor: factors[place] ?? 1,
  }));
  return pool.fold({ strategy: spec, choice, changes: counted, global: sources.global, memory: {} });
}

describe("however many threads there are, and wherever the numbers lie, the bytes are the same", () => {
  test.each(specs)("$name", async (spec) => {
    const updates = rows.map((values, at) => ({ participantId: `p${at}`, weight: at + 1, values }));
    const alone = applyStrategy(strategyOf(spec), global, updates, new Map(), CLIP);
    for (const pool of pools) {
      for (const sources of [files, memory]) {
        const { values, state } = await inThreads(pool, spec, sources as typeof files);
        expect(hashes(values, state)).toEqual(hashes(alone.values, alone.state));
      }
    }
  });
});

test("what is not finite is found, whichever thread looks at it", async () => {
  const bad = rows.map((values) => values.slice());
  (bad[2] as Float32Array)[LENGTH - 1] = Number.POSITIVE_INFINITY;
  (bad[4] as Float32Array)[17] = Number.NaN;
  (bad[4] as Float32Array)[LENGTH - 2] = Number.NaN;
  const changes = bad.map((values) => ({ values: sharedSource(values), base: null }));
  for (const pool of pools) {
    const { notFinite } = await pool.measure({ changes, compared: [] });
    expect(notFinite).toEqual([-1, -1, LENGTH - 1, -1, 17, -1, -1]);
  }
});

test("a file that is too short is a failure, and the threads go on afterwards", async () => {
  const [pool] = pools as [Aggregators];
  const short = { ...(files.rows[0] as Source & { length: number }), length: LENGTH * 4 };
  const failure = await pool.measure({ changes: [{ values: short, base: null }], compared: [] }).then(
    () => null,
    (thrown: Error) => thrown.message,
  );
  expect(failure).toContain("shorter than its numbers");
  expect((await pool.measure({ changes: [{ values: memory.global, base: null }], compared: [] })).notFinite).toEqual([
    -1,
  ]);
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
