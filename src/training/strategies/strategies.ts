import { type NoisePlan, privateMean } from "../privacy/noise.ts";
import { type AdaptiveRule, adaptive } from "./adaptive.ts";
import { fedAvg, fedAvgM, fedBuff } from "./averaging.ts";
import { krum, median, trimmedMean } from "./robust.ts";
import type { Strategy } from "./strategy.ts";

/** A strategy as a plan names it, with its numbers. */
export interface StrategyPlan {
  readonly name: string;
  readonly f?: number;
  readonly keep?: number;
  readonly learningRate?: number;
  readonly momentum?: number;
  readonly beta1?: number;
  readonly beta2?: number;
  readonly tau?: number;
}

const adaptiveRule = (rule: AdaptiveRule) => (plan: StrategyPlan) => adaptive(rule, plan);

const MAKERS: Readonly<Record<string, (plan: StrategyPlan) => Strategy>> = {
  fedavg: () => fedAvg(),
  fedprox: () => fedAvg("fedprox"),
  fedavgm: fedAvgM,
  fedadam: adaptiveRule("fedadam"),
  fedyogi: adaptiveRule("fedyogi"),
  fedadagrad: adaptiveRule("fedadagrad"),
  fedbuff: fedBuff,
  median,
  trimmed_mean: ({ f = 1 }) => trimmedMean(f),
  krum: ({ f = 1 }) => krum(f),
  multi_krum: ({ f = 1, keep = 2 }) => krum(f, keep),
};

export const STRATEGY_NAMES: readonly string[] = Object.keys(MAKERS);

export function createStrategy(plan: StrategyPlan): Strategy {
  const make = Object.hasOwn(MAKERS, plan.name) ? MAKERS[plan.name] : undefined;
  if (make === undefined)
    throw new RangeError(`there is no strategy ${plan.name}; there are ${STRATEGY_NAMES.join(", ")}`);
  return make(plan);
}

/** A strategy of a plan, or the mean with noise: what can be told to another thread. */
export type StrategySpec = StrategyPlan | NoisePlan;

export const strategyOf = (spec: StrategySpec): Strategy =>
  "secret" in spec ? privateMean(spec) : createStrategy(spec);
