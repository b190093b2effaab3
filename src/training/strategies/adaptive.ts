import { averaging } from "./averaging.ts";
import type { Strategy } from "./strategy.ts";

export type AdaptiveRule = "fedadam" | "fedyogi" | "fedadagrad";

interface AdaptiveOptions {
  readonly learningRate?: number;
  readonly beta1?: number;
  readonly beta2?: number;
  /** How far the step adapts; the second moment begins at its square. */
  readonly tau?: number;
}

const secondMoment: Readonly<Record<AdaptiveRule, (v: number, squared: number, beta2: number) => number>> = {
  fedadam: (v, squared, beta2) => beta2 * v + (1 - beta2) * squared,
  fedyogi: (v, squared, beta2) => v - (1 - beta2) * squared * Math.sign(v - squared),
  fedadagrad: (v, squared) => v + squared,
};

/** Adaptive steps at the server (Reddi et al. 2021): the mean change of a round is taken for a gradient. */
export function adaptive(rule: AdaptiveRule, options: AdaptiveOptions = {}): Strategy {
  const { learningRate = 0.03, beta1 = 0.9, beta2 = 0.99, tau = 1e-3 } = options;
  const next = secondMoment[rule];
  return {
    ...averaging,
    name: rule,
    memory: { first: 0, second: tau * tau },
    step({ global, values, memory }) {
      const [first, second] = [memory.first as Float32Array, memory.second as Float32Array];
      for (let at = 0; at < values.length; at++) {
        const change = Math.fround((values[at] as number) - (global[at] as number));
        first[at] = beta1 * (first[at] as number) + (1 - beta1) * change;
        second[at] = next(second[at] as number, change * change, beta2);
        const scale = Math.sqrt(second[at] as number) + tau;
        values[at] = (global[at] as number) + (learningRate * (first[at] as number)) / scale;
      }
    },
  };
}
