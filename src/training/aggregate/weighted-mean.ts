import { type BlockMemory, blockMemory, type Kernel } from "../kernels/block-memory.ts";
import { GROUP_MAX, meanKernel } from "../kernels/mean-kernel.ts";
import { fillBlock, foldBlocks } from "./fold-blocks.ts";
import { lengthOf, type Span, type Values, wholeOf } from "./values.ts";

/** The weighted mean in the order given: float64 sums, one division, one rounding. Any number of models. */
export function weightedMean(
  models: readonly Values[],
  weights: readonly number[],
  span: Span = wholeOf(models),
  out: Float32Array = new Float32Array(span.to - span.from),
): Float32Array {
  lengthOf(models);
  const total = sumOf(weights);
  if (weights.length !== models.length || !weights.every((weight) => weight >= 0) || !(total > 0)) {
    throw new RangeError("weights are as many numbers as there are models, none negative, not all zero");
  }
  const memory = blockMemory();
  const passes = passesOf(models, weights, memory);
  memory.divisor = total;
  foldBlocks(span, out, (start, count) => {
    for (const { models: group, weights: factors, run } of passes) {
      group.forEach((values, at) => {
        fillBlock(values, start, count, memory.inputs[at] as Float32Array);
      });
      if (passes.length > 1) memory.weights.set(factors);
      run();
    }
    return memory.output;
  });
  return out;
}

interface PassOverModels {
  readonly models: readonly Values[];
  readonly weights: readonly number[];
  readonly run: Kernel;
}

function passesOf(models: readonly Values[], weights: readonly number[], memory: BlockMemory): PassOverModels[] {
  const passes: PassOverModels[] = [];
  for (let at = 0; at < models.length; at += GROUP_MAX) {
    const group = models.slice(at, at + GROUP_MAX);
    const last = at + GROUP_MAX >= models.length;
    const run = meanKernel({ inputs: group.length, first: at === 0, last });
    passes.push({ models: group, weights: weights.slice(at, at + GROUP_MAX), run });
  }
  memory.weights.set(weights.slice(0, GROUP_MAX));
  return passes;
}

/** In order, so that the same weights always give the same sum. */
export function sumOf(values: readonly number[]): number {
  let sum = 0;
  for (const value of values) sum += value;
  return sum;
}
