import type { RouterConfig } from "../../src/config/router-config.ts";
import type { Deployment } from "../../src/contract/deployment.ts";
import {
  type AttemptResult,
  type OperatorSwitch,
  Router,
  type RouterDeps,
  type RoutingContext,
} from "../../src/gateway/routing/router.ts";
import { loadText } from "../config/load-text.ts";
import { SteppedClock } from "../stepped-clock.ts";

export const deployment = (id: string, params: Record<string, unknown> = {}, group = "g"): Deployment => ({
  id,
  group,
  provider: "echo",
  upstreamModel: "chat",
  apiBase: null,
  apiKey: null,
  apiVersion: null,
  params,
  info: {},
});

export const FACTS: RoutingContext = {
  group: "g",
  operation: "chat",
  promptTokens: () => 100,
  requestedTokens: () => 100,
  tags: [],
  region: null,
  affinity: null,
  stream: true,
};

export const ANSWERED: AttemptResult = {
  ok: true,
  kind: null,
  retryAfterMs: null,
  completionTokens: 10,
  promptTokens: 10,
};
export const failed = (
  kind: NonNullable<AttemptResult["kind"]>,
  retryAfterMs: number | null = null,
): AttemptResult => ({
  ok: false,
  kind,
  retryAfterMs,
  completionTokens: 0,
  promptTokens: 0,
});

/** Random numbers that are the same on every run. */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** What an operator may have set about the deployment `a`. */
export const SET: OperatorSwitch = {
  deploymentId: "a",
  enabled: true,
  weight: null,
  restUntil: null,
  clearedAt: null,
  updatedAt: 1,
};

export const NOBODY: ReadonlySet<string> = new Set();

export interface Routing {
  readonly clock: SteppedClock;
  readonly router: Router;
}

/** A router as the settings of a configuration file make it, on a clock that the test steps. */
export function startRouting(settings = "", deps: Partial<RouterDeps> = {}): Routing {
  const clock = new SteppedClock();
  const config = routerConfig(settings);
  const router = new Router({
    settings: () => config,
    clock,
    random: seededRandom(7),
    roomInMs: () => 0,
    limitsOf: () => ({ maxInputTokens: null, supportsResponseSchema: null }),
    priceOf: () => null,
    ...deps,
  });
  return { clock, router };
}

export function routerConfig(settings: string): RouterConfig {
  const loaded = loadText(settings === "" ? "" : `router_settings:\n${settings.replace(/^/gm, "  ")}\n`);
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.faults));
  return loaded.config.router;
}

/** Those that operators see as well. */
export const wellOf = ({ router }: Pick<Routing, "router">, deployments: readonly Deployment[]): readonly string[] =>
  router.describe(deployments).flatMap(({ id, state }) => (state === "well" ? [id] : []));

/** How often each was chosen in so many calls that end at once. */
export function countChoices(
  { router }: Routing,
  deployments: readonly Deployment[],
  calls: number,
  facts: Partial<RoutingContext> = {},
): Record<string, number> {
  const counts: Record<string, number> = {};
  for (let call = 0; call < calls; call++) {
    const attempt = router.pick(deployments, NOBODY, { ...FACTS, ...facts });
    const id = attempt?.deployment.id ?? "none";
    counts[id] = (counts[id] ?? 0) + 1;
    attempt?.end(ANSWERED);
  }
  return counts;
}
