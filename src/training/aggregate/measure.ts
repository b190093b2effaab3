import { BLOCK } from "../kernels/block-memory.ts";
import type { Span, Values } from "./values.ts";

/** Sums begin anew at every so many numbers and are added up in order, so that they do not depend on how work is shared. */
export const CHUNK = 16 * BLOCK;

/** An update, and the model that it began from. */
export interface Change {
  readonly values: Values;
  readonly base: Values;
}

/** What is known of changes without their numbers: products of each with each, and where one is not finite. */
export interface Measured {
  /** products[a][b] is the dot product of two changes; that of a change with itself is its squared length. */
  readonly products: ReadonlyArray<Float64Array>;
  /** The first place that holds no finite number; -1 where there is none. */
  readonly notFinite: readonly number[];
}

export interface MeasuredPart {
  /** For every chunk of the span the products of all pairs. */
  readonly sums: Float64Array;
  readonly notFinite: readonly number[];
}

/** Measures the chunks of a span; `compared` are those whose products with each other are wanted. */
export function measureSpan(changes: readonly Change[], compared: ReadonlySet<number>, span: Span): MeasuredPart {
  const pairs = pairsOf(changes.length, compared);
  const sums = new Float64Array(Math.ceil((span.to - span.from) / CHUNK) * pairs.length);
  const notFinite = changes.map(() => -1);
  const rows = changes.map(() => new Float32Array(BLOCK));
  const base = new Float32Array(BLOCK);
  for (let start = span.from; start < span.to; start += BLOCK) {
    const count = Math.min(BLOCK, span.to - start);
    changes.forEach((change, at) => {
      const row = (rows[at] as Float32Array).subarray(0, count);
      change.values.read(start, row);
      if (notFinite[at] === -1) notFinite[at] = placeOf(row, start);
      change.base.read(start, base.subarray(0, count));
      for (let i = 0; i < count; i++) row[i] = (row[i] as number) - (base[i] as number);
    });
    const chunk = Math.floor((start - span.from) / CHUNK) * pairs.length;
    pairs.forEach(([a, b], at) => {
      sums[chunk + at] = addProducts(
        sums[chunk + at] as number,
        rows[a] as Float32Array,
        rows[b] as Float32Array,
        count,
      );
    });
  }
  return { sums, notFinite };
}

/** Puts the parts of a model together, which are given in order. */
export function joinMeasured(count: number, compared: ReadonlySet<number>, parts: readonly MeasuredPart[]): Measured {
  const pairs = pairsOf(count, compared);
  const products = Array.from({ length: count }, () => new Float64Array(count));
  for (const [at, [a, b]] of pairs.entries()) {
    let sum = 0;
    for (const { sums } of parts) for (let i = at; i < sums.length; i += pairs.length) sum += sums[i] as number;
    (products[a] as Float64Array)[b] = sum;
    (products[b] as Float64Array)[a] = sum;
  }
  const notFinite = products.map((_, at) => parts.map((part) => part.notFinite[at] ?? -1).find((place) => place >= 0));
  return { products, notFinite: notFinite.map((place) => place ?? -1) };
}

/** How long the changes are. */
export const lengthsOf = (products: ReadonlyArray<Float64Array>): number[] =>
  products.map((row, at) => Math.sqrt(row[at] ?? 0));

/** Everyone with itself, and those that are compared with each other. */
function pairsOf(count: number, compared: ReadonlySet<number>): Array<readonly [number, number]> {
  const pairs: Array<readonly [number, number]> = [];
  for (let a = 0; a < count; a++) {
    pairs.push([a, a]);
    if (compared.has(a)) for (let b = a + 1; b < count; b++) if (compared.has(b)) pairs.push([a, b]);
  }
  return pairs;
}

/** Four sums side by side, which a processor adds at once; the same ones on every machine. */
function addProducts(sum: number, a: Float32Array, b: Float32Array, count: number): number {
  let [s0, s1, s2, s3] = [0, 0, 0, 0];
  let at = 0;
  for (; at + 3 < count; at += 4) {
    s0 += (a[at] as number) * (b[at] as number);
    s1 += (a[at + 1] as number) * (b[at + 1] as number);
    s2 += (a[at + 2] as number) * (b[at + 2] as number);
    s3 += (a[at + 3] as number) * (b[at + 3] as number);
  }
  for (; at < count; at++) s0 += (a[at] as number) * (b[at] as number);
  return sum + (s0 + s1 + (s2 + s3));
}

function placeOf(row: Float32Array, start: number): number {
  // A sum of finite 32-bit floats is finite in 64 bits, so one look at it tells that all are.
  let sum = 0;
  for (let at = 0; at < row.length; at++) sum += (row[at] as number) * 0;
  return sum === 0 ? -1 : start + row.findIndex((value) => !Number.isFinite(value));
}
