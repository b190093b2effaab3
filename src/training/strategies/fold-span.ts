import { rankedMean } from "../aggregate/ranked-mean.ts";
import type { Span, Values } from "../aggregate/values.ts";
import { weightedMean } from "../aggregate/weighted-mean.ts";
import { BLOCK } from "../kernels/block-memory.ts";
import type { Choice, Strategy } from "./strategy.ts";

/** What a strategy works on: only the updates that count, in their order. */
export interface FoldInputs {
  readonly updates: readonly Values[];
  readonly global: Values;
  readonly memory: Readonly<Record<string, Values>>;
}

export interface FoldOutputs {
  readonly values: Float32Array;
  readonly memory: Readonly<Record<string, Float32Array>>;
}

/** Computes part of the new model, and of what the strategy remembers. */
export function foldSpan(strategy: Strategy, choice: Choice, inputs: FoldInputs, span: Span, out: FoldOutputs): void {
  if (choice.kind === "mean") weightedMean(inputs.updates, choice.weights, span, out.values);
  else rankedMean(inputs.updates, choice.ranks, span, out.values);
  if (strategy.step === null) return;
  const global = new Float32Array(BLOCK);
  for (let start = span.from; start < span.to; start += BLOCK) {
    const [from, to] = [start - span.from, Math.min(start + BLOCK, span.to) - span.from];
    inputs.global.read(start, global.subarray(0, to - from));
    const memory = Object.entries(out.memory).map(([name, values]) => {
      const own = values.subarray(from, to);
      inputs.memory[name]?.read(start, own);
      return [name, own];
    });
    strategy.step({
      block: Math.floor(start / BLOCK),
      counted: choice.places.length,
      global: global.subarray(0, to - from),
      values: out.values.subarray(from, to),
      memory: Object.fromEntries(memory),
    });
  }
}
