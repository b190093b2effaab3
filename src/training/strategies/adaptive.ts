import { difference } from "../vectors.ts";
import { meanOf } from "./averaging.ts";
import { idsOf, type Strategy } from "./strategy.ts";

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
    name: rule,
    robust: false,
    refuses: (updates) => (updates < 1 ? "there is no update to average" : null),
    apply(global, updates, state) {
      const change = difference(meanOf(updates), global);
      const first = state.get("first")?.slice() ?? new Float32Array(global.length);
      const second = state.get("second")?.slice() ?? new Float32Array(global.length).fill(tau * tau);
      const values = new Float32Array(global.length);
      for (let at = 0; at < values.length; at++) {
        const step = change[at] as number;
        first[at] = beta1 * (first[at] as number) + (1 - beta1) * step;
        second[at] = next(second[at] as number, step * step, beta2);
        const scale = Math.sqrt(second[at] as number) + tau;
        values[at] = (global[at] as number) + (learningRate * (first[at] as number)) / scale;
      }
      const moments = new Map([
        ["first", first],
        ["second", second],
      ]);
      return { values, state: moments, counted: idsOf(updates) };
    },
  };
}
