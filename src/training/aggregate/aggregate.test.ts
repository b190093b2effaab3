import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import {
  float32,
  readSafetensors,
  weightedMean as sdkMean,
  writeSafetensors,
} from "../../../sdk/typescript/src/index.ts";
import { runs } from "../../../test/property-runs.ts";
import { RANKED_MAX } from "../kernels/rank-kernel.ts";
import { selectionNetwork } from "../kernels/selection-network.ts";
import { sortingNetwork } from "../kernels/sorting-network.ts";
import { medianRanks, rankedMean, trimmedRanks } from "./ranked-mean.ts";
import { inMemory } from "./values.ts";
import { weightedMean } from "./weighted-mean.ts";

const finite = fc.float({ noNaN: true, noDefaultInfinity: true });
/** Models of one length, up to some blocks long: a few numbers repeated, so that examples stay quick. */
const models = (most: number) =>
  fc
    .record({ count: fc.integer({ min: 1, max: most }), length: fc.constantFrom(1, 3, 4, 5, 4095, 4096, 4097, 9000) })
    .chain(({ count, length }) =>
      fc
        .array(fc.array(finite, { minLength: 7, maxLength: 7 }), { minLength: count, maxLength: count })
        .map((rows) => rows.map((row) => Float32Array.from({ length }, (_, at) => row[at % row.length] as number))),
    );

describe("the weighted mean", () => {
  test("is summed in float64, in order, divided once and rounded once, for any number of models", () => {
    const weights = fc.array(fc.double({ min: 0, max: 1e6, noNaN: true }), { minLength: 40, maxLength: 40 });
    fc.assert(
      fc.property(models(40), weights, (rows, many) => {
        const factors = rows.map((_, at) => (at === 0 ? 1 + (many[0] as number) : (many[at] as number)));
        const mean = weightedMean(rows.map(inMemory), factors);
        const total = factors.reduce((sum, weight) => sum + weight, 0);
        for (const place of [0, mean.length >> 1, mean.length - 1]) {
          let sum = 0;
          rows.forEach((row, at) => {
            sum += (factors[at] as number) * (row[place] as number);
          });
          expect(mean[place]).toBe(Math.fround(sum / total));
        }
      }),
      { numRuns: 60 },
    );
  });

  test("has the bytes of the participants' own mean", () => {
    const rows = [1, 2, 3].map((seed) => Float32Array.from({ length: 5000 }, (_, at) => Math.sin(at * seed) * 3));
    const files = rows.map((row) => writeSafetensors(new Map([["w", float32(row)]])));
    const theirs = readSafetensors(sdkMean(files, [5, 1.5, 7])).get("w")?.bytes;
    const ours = weightedMean(rows.map(inMemory), [5, 1.5, 7]);
    expect(Buffer.from(theirs ?? []).equals(Buffer.from(new Uint8Array(ours.buffer)))).toBe(true);
  });

  test("is the same when it is computed in spans", () => {
    const rows = [1, 2].map((seed) => inMemory(Float32Array.from({ length: 10_001 }, (_, at) => Math.cos(at * seed))));
    const whole = weightedMean(rows, [1, 2]);
    const parts = [0, 17, 4096, 8200, 10_001].flatMap((to, at, all) =>
      at === 0 ? [] : [...weightedMean(rows, [1, 2], { from: all[at - 1] as number, to })],
    );
    expect([...Float32Array.from(parts)]).toEqual([...whole]);
  });

  test("refuses weights that cannot be", () => {
    const row = inMemory(Float32Array.of(1));
    expect(() => weightedMean([row], [])).toThrow("weights");
    expect(() => weightedMean([row], [0])).toThrow("weights");
    expect(() => weightedMean([row, row], [2, -1])).toThrow("weights");
    expect(() => weightedMean([row, inMemory(new Float32Array(2))], [1, 1])).toThrow("one length");
    expect(() => weightedMean([], [])).toThrow("nothing to aggregate");
  });
});

/** What the kernel does with a column, in plain words; as there, of two equal ones both stay where they are. */
function carryOut(pairs: ReadonlyArray<readonly [number, number]>, column: number[]): void {
  for (const [a, b] of pairs) {
    const [low, high] = [column[a] as number, column[b] as number];
    if (high < low) [column[a], column[b]] = [high, low];
  }
}

describe("sorted means", () => {
  test("the network sorts whatever it is given (every pattern of zeros and ones)", () => {
    for (let places = 1; places <= 12; places++) {
      const pairs = sortingNetwork(places);
      for (let pattern = 0; pattern < 1 << places; pattern++) {
        const bits = Array.from({ length: places }, (_, at) => (pattern >> at) & 1);
        carryOut(pairs, bits);
        expect(bits.join("")).toBe(bits.toSorted((x, y) => x - y).join(""));
      }
    }
  });

  test("a selection leaves the wanted ranks in their places, for every pattern and all ranks", () => {
    for (let places = 1; places <= 9; places++) {
      for (let from = 0; from < places; from++) {
        for (let to = from + 1; to <= places; to++) {
          const pairs = selectionNetwork(places, from, to);
          expect(pairs.length).toBeLessThanOrEqual(sortingNetwork(places).length);
          for (let pattern = 0; pattern < 1 << places; pattern++) {
            const bits = Array.from({ length: places }, (_, at) => (pattern >> at) & 1);
            const sorted = bits.toSorted((x, y) => x - y);
            carryOut(pairs, bits);
            const ones = (row: number[]) => row.slice(from, to).reduce((sum, bit) => sum + bit, 0);
            const before = (row: number[]) => row.slice(0, from).reduce((sum, bit) => sum + bit, 0);
            if (ones(bits) !== ones(sorted) || before(bits) !== before(sorted))
              throw new Error(`${bits} of ${pattern}`);
          }
        }
      }
    }
  });

  test("a selection is less work than sorting", () => {
    expect(sortingNetwork(10)).toHaveLength(32);
    expect(selectionNetwork(10, 2, 8).length).toBeLessThanOrEqual(20);
    expect(selectionNetwork(10, 4, 6).length).toBeLessThanOrEqual(24);
    expect(selectionNetwork(20, 4, 16).length).toBeLessThanOrEqual(68);
    expect(selectionNetwork(64, 6, 58).length).toBeLessThanOrEqual(312);
  });

  test("a selection of many leaves the wanted ranks in their places, wherever the ends are", () => {
    const columns = fc.array(fc.integer({ min: 0, max: 30 }), { minLength: 10, maxLength: RANKED_MAX });
    fc.assert(
      fc.property(columns, fc.nat(), fc.nat(), (column, some, more) => {
        const from = some % column.length;
        const to = from + 1 + (more % (column.length - from));
        const sorted = column.toSorted((x, y) => x - y);
        const places = [...column];
        carryOut(selectionNetwork(column.length, from, to), places);
        const sides = (row: number[]) =>
          [row.slice(0, from), row.slice(from, to), row.slice(to)].map((side) => side.toSorted((x, y) => x - y));
        expect(sides(places)).toEqual(sides(sorted));
      }),
      { numRuns: runs(500) },
    );
  });

  test("know nothing of the models that were there before", () => {
    const row = (length: number, value: number) => inMemory(new Float32Array(length).fill(value));
    const first = rankedMean([row(9000, 1), row(9000, 2), row(9000, 3)], medianRanks(3));
    const second = rankedMean([row(5, 6), row(5, 4), row(5, 5)], medianRanks(3));
    expect([first[0], first[8999]]).toEqual([2, 2]);
    expect([...second]).toEqual([5, 5, 5, 5, 5]);
  });

  test("are the mean of what sorting every place leaves, for few models and for many", () => {
    fc.assert(
      fc.property(models(70), fc.nat(), (rows, pick) => {
        const trimmable = (rows.length - 1) >> 1;
        const ranks =
          trimmable === 0 || pick % 2 === 0
            ? medianRanks(rows.length)
            : trimmedRanks(rows.length, 1 + (pick % trimmable));
        const mean = rankedMean(rows.map(inMemory), ranks);
        const pairs = rows.length > RANKED_MAX ? null : selectionNetwork(rows.length, ranks.from, ranks.to);
        for (const place of [0, mean.length - 1]) {
          const column = rows.map((row) => row[place] as number);
          const sorted = Float32Array.from(column).sort();
          if (pairs === null) column.splice(0, column.length, ...sorted);
          else carryOut(pairs, column);
          const chosen = column.slice(ranks.from, ranks.to);
          const plain = (values: Iterable<number>) => [...Float32Array.from(values).sort()].map((value) => value + 0);
          expect(plain(chosen)).toEqual(plain(sorted.subarray(ranks.from, ranks.to)));
          expect(mean[place]).toBe(Math.fround(chosen.reduce((sum, value) => sum + value, 0) / chosen.length));
        }
      }),
      { numRuns: 60 },
    );
  });

  test("say how many can be left out", () => {
    expect(medianRanks(5)).toEqual({ from: 2, to: 3 });
    expect(medianRanks(4)).toEqual({ from: 1, to: 3 });
    expect(trimmedRanks(10, 2)).toEqual({ from: 2, to: 8 });
    expect(() => trimmedRanks(4, 0)).toThrow("trimming nobody");
    expect(() => trimmedRanks(4, 2)).toThrow("cannot be left out");
  });
});

test("a mean needs no memory of its own: a process that has many of them collects all its garbage for each new one", () => {
  const own = WebAssembly.Memory;
  let made = 0;
  WebAssembly.Memory = class extends own {
    constructor(size: WebAssembly.MemoryDescriptor) {
      super(size);
      made++;
    }
  };
  try {
    for (let count = 1; count <= 40; count++) {
      const rows = Array.from({ length: count }, (_, at) => inMemory(Float32Array.of(at, 1)));
      weightedMean(
        rows,
        rows.map(() => 1),
      );
      rankedMean(rows, medianRanks(count));
    }
  } finally {
    WebAssembly.Memory = own;
  }
  // One for all of them, where no other test has made it.
  expect(made).toBeLessThanOrEqual(1);
});
