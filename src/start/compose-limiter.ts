import type { WatchedGauge } from "../http/metrics.ts";
import type { Clock } from "../lib/clock.ts";
import { hmacBytes } from "../lib/hmac.ts";
import { newId } from "../lib/ids.ts";
import type { Redis } from "../lib/redis.ts";
import type { LimitStore } from "../limits/limit-store.ts";
import { LocalLimiter } from "../limits/local-limiter.ts";
import type { Limiter } from "../limits/meter.ts";
import { RedisLimitStore } from "../limits/redis-limit-store.ts";
import { SharedLimiter } from "../limits/shared-limiter.ts";

export interface LimiterSide {
  readonly gauges: readonly WatchedGauge[];
  readonly limiter: Limiter;
  /** Counts with other processes from now on; once Redis was tried. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

export interface LimiterDeps {
  readonly redis: Redis | null;
  /** Where the workers of one server count together. */
  readonly workers: LimitStore | null;
  readonly workerCount: number;
  readonly secret: string;
  readonly clock: Clock;
}

/** Limits over all processes of the installation where there is a Redis, over all workers of a server, or in this process. */
export function composeLimiter({ redis, workers, workerCount, secret, clock }: LimiterDeps): LimiterSide {
  const nowMs = (): number => clock.monotonicMs();
  const installation = hmacBytes(secret, "turnpike:limits-prefix").toString("hex").slice(0, 16);
  const store = redis ? new RedisLimitStore({ redis, installation }) : workers;
  if (store === null) {
    const done = async (): Promise<void> => undefined;
    return { limiter: new LocalLimiter(nowMs), gauges: [], start: done, stop: done };
  }
  const limiter = new SharedLimiter({ store, process: newId(), atLeast: workerCount, nowMs });
  const gauges: readonly WatchedGauge[] = [
    ["turnpike_limits_shared", "1 while limits are counted over all processes.", () => Number(limiter.shared), "min"],
    ["turnpike_limits_processes", "Processes that count limits together.", () => limiter.processCount, "max"],
  ];
  return { limiter, gauges, start: () => limiter.start(), stop: () => limiter.close() };
}
