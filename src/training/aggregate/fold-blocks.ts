import { BLOCK } from "../kernels/block-memory.ts";
import type { Span, Values } from "./values.ts";

/** Goes over the numbers block by block; `fold` gets how many there are and gives the block's result. */
export function foldBlocks(span: Span, out: Float32Array, fold: (start: number, count: number) => Float32Array): void {
  for (let start = span.from; start < span.to; start += BLOCK) {
    const count = Math.min(BLOCK, span.to - start);
    out.set(firstOf(fold(start, count), count), start - span.from);
  }
}

/** Fills a kernel's input; what lies behind the last number is zero, so that nothing strange is computed there. */
export function fillBlock(values: Values, start: number, count: number, into: Float32Array): void {
  values.read(start, firstOf(into, count));
  if (count < into.length) into.fill(0, count);
}

/** Most blocks are whole, and a view is made only of the last. */
const firstOf = (block: Float32Array, count: number): Float32Array =>
  count === block.length ? block : block.subarray(0, count);
