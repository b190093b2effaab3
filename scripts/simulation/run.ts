import { Catalog } from "../../src/catalog/catalog.ts";
import type { Config } from "../../src/config/config.ts";
import type { Deployment } from "../../src/contract/deployment.ts";
import { GatewayError } from "../../src/contract/errors.ts";
import { AttemptPlanner, type Step } from "../../src/gateway/attempts/planner.ts";
import { RetryBudgets } from "../../src/gateway/attempts/retry-budget.ts";
import { parseCallOptions } from "../../src/gateway/call/call-options.ts";
import type { GatewayDeps, InferenceCall } from "../../src/gateway/call/gateway.ts";
import { Router, type RoutingContext } from "../../src/gateway/routing/router.ts";
import type { CallRoutingContext } from "../../src/gateway/routing/routing-context.ts";
import { gatewaySettings } from "../../src/start/gateway-settings.ts";
import { deployment, seededRandom } from "../../test/gateway/routing.ts";
import { VirtualTime } from "./events.ts";
import type { Scenario } from "./scenarios.ts";
import { type Reply, Upstream } from "./upstream.ts";

export interface Outcome {
  readonly calls: number;
  readonly p50Ms: number;
  readonly p95Ms: number;
  readonly p99Ms: number;
  /** The part of the calls that ended with an error for the client. */
  readonly errorRate: number;
  readonly attemptsPerCall: number;
}

export interface Load {
  readonly seed: number;
  readonly lastsMs: number;
  readonly callsPerSecond: number;
  /** For the first byte of an attempt. */
  readonly timeoutMs: number;
}

type Chance = () => number;

const NONE: ReadonlySet<string> = new Set();

/** Plays a scenario with the program's own router and rules for retries: calls arrive by chance, are tried, and end. */
export function simulate(scenario: Scenario, config: Config, load: Load): Outcome {
  const time = new VirtualTime();
  // Each has a chance of its own, so that every strategy meets the same callers.
  const [arrivals, work, choices] = [1, 2, 3].map((part) => seededRandom(load.seed * 10 + part)) as [
    Chance,
    Chance,
    Chance,
  ];
  const upstreams = scenario.upstreams.map((plan) => new Upstream(plan, time, work));
  const group = scenario.upstreams.map(({ firstTokenMs }, index) =>
    // Slower ones are cheaper, as they are in life.
    deployment(`d${index}`, { price: 1000 / firstTokenMs }),
  );
  const world = new World(time, choices, config, group, upstreams, load.timeoutMs);
  const arrive = () => {
    if (time.nowMs() >= load.lastsMs) return;
    world.begin();
    time.after((-Math.log(1 - arrivals()) * 1000) / load.callsPerSecond, arrive);
  };
  time.after(0, arrive);
  time.runAll();
  return world.outcome();
}

class World {
  private readonly waits: number[] = [];
  private readonly deps: GatewayDeps;
  private readonly catalog = new Catalog([]);
  private calls = 0;
  private errors = 0;
  private attempts = 0;

  constructor(
    private readonly time: VirtualTime,
    random: () => number,
    config: Config,
    private readonly group: readonly Deployment[],
    private readonly upstreams: readonly Upstream[],
    private readonly timeoutMs: number,
  ) {
    const router = new Router({
      settings: () => config.router,
      clock: time,
      random,
      roomInMs: () => 0,
      limitsOf: () => ({ maxInputTokens: null, supportsResponseSchema: null }),
      priceOf: ({ params }) => Number(params.price),
    });
    const retryBudgets = new RetryBudgets(time);
    // What a plan looks at where no other group stands in.
    const catalog = () => this.catalog;
    const used = { router, retryBudgets, catalog, clock: time, random, settings: () => gatewaySettings(config) };
    this.deps = used as Partial<GatewayDeps> as GatewayDeps;
  }

  begin(): void {
    this.calls++;
    this.deps.retryBudgets.of(FACTS.group).deposit();
    const now = this.time.nowMs();
    const call = {
      model: FACTS.group,
      receivedAtMs: now,
      header: () => null,
    } as Partial<InferenceCall> as InferenceCall;
    const errand = { request: {}, options: parseCallOptions(call, {}), deployments: this.group, catalog: this.catalog };
    const plan = new AttemptPlanner(this.deps, call, errand, FACTS as CallRoutingContext);
    this.go(this.firstStep(), plan, now);
  }

  outcome(): Outcome {
    const sorted = this.waits.sort((one, other) => one - other);
    const at = (part: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0;
    return {
      calls: this.calls,
      p50Ms: at(0.5),
      p95Ms: at(0.95),
      p99Ms: at(0.99),
      errorRate: this.errors / this.calls,
      attemptsPerCall: this.attempts / this.calls,
    };
  }

  /** Null: the client gets an error, since nothing is left to try. */
  private go(step: Step | null, plan: AttemptPlanner, begunAtMs: number): void {
    if (step === null) this.errors++;
    else this.time.after(step.delayMs, () => this.attempt(step, plan, begunAtMs));
  }

  private attempt({ run }: Step, plan: AttemptPlanner, begunAtMs: number): void {
    this.attempts++;
    let over = false;
    const told = (reply: Reply): void => {
      if (over) return;
      over = true;
      if (reply.ok) {
        run.firstByte();
        this.waits.push(this.time.nowMs() - begunAtMs);
        this.time.after(reply.endsAfterMs, () => run.end(ANSWERED));
        return;
      }
      run.end({ ...ANSWERED, ...reply, completionTokens: 0 });
      this.go(plan.after(failureOf(reply), run.deployment, true), plan, begunAtMs);
    };
    const leave = this.upstreams[this.group.indexOf(run.deployment)]?.call(told);
    this.time.after(this.timeoutMs, () => {
      if (over) return;
      leave?.();
      told({ ok: false, kind: "timeout", retryAfterMs: null });
    });
  }

  /** Null where all asked to be left alone. */
  private firstStep(): Step | null {
    try {
      const run = this.deps.router.pick(this.group, NONE, FACTS);
      return run && { run, model: FACTS.group, retries: 0, fallbacks: 0, delayMs: 0, fields: null };
    } catch {
      return null;
    }
  }
}

const failureOf = ({ kind, retryAfterMs }: Extract<Reply, { ok: false }>): GatewayError =>
  new GatewayError(
    kind,
    "simulated",
    retryAfterMs === null ? {} : { headers: { "retry-after-ms": `${retryAfterMs}` } },
  );

const ANSWERED = { ok: true, kind: null, retryAfterMs: null, completionTokens: 200, promptTokens: 500 } as const;

const FACTS: RoutingContext = {
  group: "g",
  operation: "chat",
  promptTokens: () => 500,
  requestedTokens: () => 700,
  tags: [],
  region: null,
  affinity: null,
  stream: true,
};
