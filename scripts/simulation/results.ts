import type { RoutingStrategy } from "../../src/config/router-config.ts";
import { configOf } from "../../test/config/load-text.ts";
import { type Load, type Outcome, simulate } from "./run.ts";
import { OF_FOUR, OF_TWO, type Scenario } from "./scenarios.ts";

export interface Row {
  readonly strategy: RoutingStrategy;
  readonly outcome: Outcome;
}

export interface Result {
  readonly scenario: Scenario;
  readonly rows: readonly Row[];
}

export interface Results {
  readonly ofFour: readonly Result[];
  readonly ofTwo: readonly Result[];
}

const STRATEGIES: readonly RoutingStrategy[] = [
  "simple-shuffle",
  "least-busy",
  "usage-based-routing-v2",
  "latency-based-routing",
  "cost-based-routing",
  "peak-latency",
];

export const LOAD: Load = { seed: 1, lastsMs: 240_000, callsPerSecond: 30, timeoutMs: 10_000 };
export const LOAD_OF_TWO: Load = { ...LOAD, callsPerSecond: 12 };

/** The same on every run. */
export const simulateAll = (): Results => ({
  ofFour: OF_FOUR.map((scenario) => play(scenario, STRATEGIES, LOAD)),
  ofTwo: OF_TWO.map((scenario) => play(scenario, ["simple-shuffle", "peak-latency"], LOAD_OF_TWO)),
});

const play = (scenario: Scenario, strategies: readonly RoutingStrategy[], load: Load): Result => ({
  scenario,
  rows: strategies.map((strategy) => ({
    strategy,
    outcome: simulate(scenario, configOf(`router_settings: {routing_strategy: ${strategy}}`), load),
  })),
});
