import { BLOCK, blockMemory } from "../kernels/block-memory.ts";
import { RANKED_MAX, rankKernel } from "../kernels/rank-kernel.ts";
import { fillBlock, foldBlocks } from "./fold-blocks.ts";
import { lengthOf, type Span, type Values, wholeOf } from "./values.ts";

/** The mean, at every place, of those of the sorted numbers that have rank `from` up to `to`. The numbers must be finite. */
export function rankedMean(
  models: readonly Values[],
  ranks: Span,
  span: Span = wholeOf(models),
  out: Float32Array = new Float32Array(span.to - span.from),
): Float32Array {
  lengthOf(models);
  if (!(ranks.from >= 0 && ranks.from < ranks.to && ranks.to <= models.length)) {
    throw new RangeError("the ranks are not those of the models");
  }
  if (models.length > RANKED_MAX) return rankMany(models, ranks, span, out);
  const run = rankKernel(models.length, ranks.from, ranks.to);
  const memory = blockMemory();
  memory.divisor = ranks.to - ranks.from;
  foldBlocks(span, out, (start, count) => {
    models.forEach((values, at) => {
      fillBlock(values, start, count, memory.inputs[at] as Float32Array);
    });
    run();
    return memory.output;
  });
  return out;
}

/** Too many for registers: the numbers of each place are laid side by side and sorted. */
function rankMany(models: readonly Values[], ranks: Span, span: Span, out: Float32Array): Float32Array {
  const inputs = models.map(() => new Float32Array(BLOCK));
  const column = new Float32Array(models.length);
  const means = new Float32Array(BLOCK);
  foldBlocks(span, out, (start, count) => {
    models.forEach((values, at) => {
      fillBlock(values, start, count, inputs[at] as Float32Array);
    });
    for (let place = 0; place < count; place++) {
      for (let at = 0; at < column.length; at++) column[at] = (inputs[at] as Float32Array)[place] as number;
      column.sort();
      let sum = 0;
      for (let rank = ranks.from; rank < ranks.to; rank++) sum += column[rank] as number;
      means[place] = sum / (ranks.to - ranks.from);
    }
    return means;
  });
  return out;
}

/** One or two in the middle. */
export const medianRanks = (count: number): Span => ({ from: (count - 1) >> 1, to: (count >> 1) + 1 });

export function trimmedRanks(count: number, trimmed: number): Span {
  if (!Number.isInteger(trimmed) || trimmed < 1) throw new RangeError("trimming nobody is not trimming");
  if (count <= 2 * trimmed) throw new RangeError(`of ${count} updates ${trimmed} cannot be left out at each end`);
  return { from: trimmed, to: count - trimmed };
}
