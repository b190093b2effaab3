import type { RoutingRule, RoutingStrategy } from "../../config/router-config.ts";
import type { Deployment } from "../../contract/deployment.ts";
import type { GroupView, Member } from "./group-snapshot.ts";

/** What a strategy may look at beside the candidates. */
export interface Choosing {
  readonly view: GroupView;
  readonly stream: boolean;
  readonly nowMs: number;
  readonly random: () => number;
  /** Price of a token in and a token out together; null where it is not known. */
  readonly priceOf: (deployment: Deployment) => number | null;
}

/** Chooses one of at least two candidates. */
type Strategy = (candidates: readonly Member[], choosing: Choosing) => Member;

const STRATEGIES: Readonly<Record<RoutingStrategy, Strategy>> = {
  "simple-shuffle": (candidates, { random }) => draw(candidates, random),
  "least-busy": (candidates, { random }) => lowest(candidates, random, ({ state }) => state.inFlight),
  "usage-based-routing": byUsage,
  "usage-based-routing-v2": byUsage,
  "latency-based-routing": byLatency,
  "cost-based-routing": byCost,
  "peak-latency": byPeakLatency,
};

export function choose(candidates: readonly Member[], choosing: Choosing): Member | undefined {
  if (candidates.length < 2) return candidates[0];
  return STRATEGIES[choosing.view.rule.strategy](candidates, choosing);
}

/** By shares; where all of them are zero, each is as likely. `except` is drawn again where nobody else has a share. */
export function draw(candidates: readonly Member[], random: () => number, except: Member | null = null): Member {
  let sum = 0;
  let count = 0;
  for (const member of candidates) {
    if (member === except) continue;
    sum += member.share;
    count++;
  }
  if (except !== null && except.share > 0 && sum === 0) return except;
  let left = random() * (sum > 0 ? sum : count);
  let last = candidates[0] as Member;
  for (const member of candidates) {
    if (member === except) continue;
    if (sum > 0 && member.share === 0) continue;
    last = member;
    left -= sum > 0 ? member.share : 1;
    if (left < 0) break;
  }
  return last;
}

/** The one with the lowest value; of equals, any. */
function lowest(candidates: readonly Member[], random: () => number, measure: (member: Member) => number): Member {
  let best = candidates[0] as Member;
  let bestValue = Number.POSITIVE_INFINITY;
  let equals = 0;
  for (const member of candidates) {
    const value = measure(member);
    if (value > bestValue) continue;
    equals = value < bestValue ? 1 : equals + 1;
    // The n-th of equals takes the place with one chance in n, so that each is as likely in the end.
    if (equals === 1 || random() * equals < 1) best = member;
    bestValue = value;
  }
  return best;
}

function byUsage(candidates: readonly Member[], { nowMs, random }: Choosing): Member {
  return lowest(candidates, random, ({ state }) => state.expectedTokens(nowMs));
}

/** Nobody knows what an unknown price is; it counts as more than any that is known. */
const UNKNOWN_PRICE = 10;

function byCost(candidates: readonly Member[], { random, priceOf }: Choosing): Member {
  return lowest(candidates, random, ({ deployment }) => priceOf(deployment) ?? UNKNOWN_PRICE);
}

function byLatency(candidates: readonly Member[], { view, stream, nowMs, random }: Choosing): Member {
  const ttlMs = argument(view.rule, "ttl", 3600) * 1000;
  const meanOf = ({ state }: Member) => {
    const mean = state.times(stream).mean(nowMs, ttlMs);
    // One call finds out how long it takes where that is not known: until it is answered, others go where it is.
    return mean === 0 && state.isAwaited(stream) ? Number.POSITIVE_INFINITY : mean;
  };
  const fastest = candidates.reduce((least, member) => Math.min(least, meanOf(member)), Number.POSITIVE_INFINITY);
  const bound = fastest * (1 + argument(view.rule, "lowest_latency_buffer", 0));
  return draw(
    candidates.filter((member) => meanOf(member) <= bound),
    random,
  );
}

export const DECAY_SECONDS = 10;

/**
 * Two are drawn and the one with less to wait for is taken: its time to the first byte, times the calls that it would have.
 * Two are enough to keep away from slow ones, and unlike with the best of all a crowd does not run to one place.
 */
function byPeakLatency(candidates: readonly Member[], choosing: Choosing): Member {
  const one = draw(candidates, choosing.random);
  const other = draw(candidates, choosing.random, one);
  return expectedWait(other, choosing) < expectedWait(one, choosing) ? other : one;
}

function expectedWait({ state }: Member, { view, stream, nowMs }: Choosing): number {
  const decayMs = argument(view.rule, "decay", DECAY_SECONDS) * 1000;
  const usualMs = stream ? view.usualStreamMs : view.usualPlainMs;
  const estimate = state.average(stream).estimateMs(usualMs, nowMs, decayMs);
  // One that has not answered for long is as slow as that at least, whatever it was before.
  return Math.max(estimate, state.longestWaitMs(nowMs), 1) * (state.inFlight + 1);
}

/** A number of `routing_strategy_args`. */
export function argument({ args }: RoutingRule, name: string, otherwise: number): number {
  const value = args[name];
  return typeof value === "number" && value >= 0 ? value : otherwise;
}
