import type { RouterConfig } from "../../src/config/router-config.ts";
import type { Deployment } from "../../src/contract/deployment.ts";
import { type RouteFacts, Router } from "../../src/gateway/router/router.ts";
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

/** Plays a scenario with the program's own router: calls arrive by chance, are tried, tried again elsewhere, and end. */
export function simulate(scenario: Scenario, settings: RouterConfig, load: Load): Outcome {
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
  const world = new World(time, choices, settings, group, upstreams, load.timeoutMs);
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
  private readonly router: Router;
  private calls = 0;
  private errors = 0;
  private attempts = 0;

  constructor(
    private readonly time: VirtualTime,
    random: () => number,
    private readonly settings: RouterConfig,
    private readonly group: readonly Deployment[],
    private readonly upstreams: readonly Upstream[],
    private readonly timeoutMs: number,
  ) {
    this.router = new Router({
      settings: () => settings,
      clock: time,
      random,
      roomInMs: () => 0,
      limitsOf: () => ({ maxInputTokens: null, supportsResponseSchema: null }),
      priceOf: ({ params }) => Number(params.price),
    });
  }

  begin(): void {
    this.calls++;
    this.attempt(this.time.nowMs(), NONE);
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

  private attempt(begunAtMs: number, tried: ReadonlySet<string>): void {
    const attempt = this.pick(tried);
    if (attempt === null) {
      this.errors++;
      return;
    }
    this.attempts++;
    let over = false;
    const told = (reply: Reply): void => {
      if (over) return;
      over = true;
      if (reply.ok) {
        attempt.firstByte();
        this.waits.push(this.time.nowMs() - begunAtMs);
        this.time.after(reply.endsAfterMs, () => attempt.end(ANSWERED));
        return;
      }
      attempt.end({ ...ANSWERED, ...reply, completionTokens: 0 });
      if (tried.size >= this.settings.numRetries) this.errors++;
      else this.attempt(begunAtMs, new Set([...tried, attempt.deployment.id]));
    };
    const leave = this.upstreams[this.group.indexOf(attempt.deployment)]?.call(told);
    this.time.after(this.timeoutMs, () => {
      if (over) return;
      leave?.();
      told({ ok: false, kind: "timeout", retryAfterMs: null });
    });
  }

  /** Null where the client gets an error: none is left to try, or all asked to be left alone. */
  private pick(tried: ReadonlySet<string>) {
    try {
      return this.router.pick(this.group, tried, FACTS);
    } catch {
      return null;
    }
  }
}

const ANSWERED = { ok: true, kind: null, retryAfterMs: null, completionTokens: 200, promptTokens: 500 } as const;

const FACTS: RouteFacts = {
  group: "g",
  operation: "chat",
  promptTokens: () => 500,
  tags: [],
  region: null,
  affinity: null,
  stream: true,
};
