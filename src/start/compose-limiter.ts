import type { WatchedGauge } from "../http/metrics.ts";
import type { Clock } from "../lib/clock.ts";
import { hmacBytes } from "../lib/hmac.ts";
import { newId } from "../lib/ids.ts";
import type { Redis } from "../lib/redis.ts";
import { LocalLimiter } from "../limits/local-limiter.ts";
import type { Limiter } from "../limits/meter.ts";
import { SharedLimiter } from "../limits/shared-limiter.ts";

export interface LimiterSide {
  readonly gauges: readonly WatchedGauge[];
  readonly limiter: Limiter;
  /** Counts with other processes from now on; once Redis was tried. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** Limits in the memory of this process, or over all processes of the installation where there is a Redis. */
export function composeLimiter(redis: Redis | null, secret: string, clock: Clock): LimiterSide {
  const nowMs = (): number => clock.monotonicMs();
  if (redis === null) {
    const done = async (): Promise<void> => undefined;
    return { limiter: new LocalLimiter(nowMs), gauges: [], start: done, stop: done };
  }
  const installation = hmacBytes(secret, "turnpike:limits-prefix").toString("hex").slice(0, 16);
  const limiter = new SharedLimiter({ redis, installation, process: newId(), nowMs });
  const gauges: readonly WatchedGauge[] = [
    ["turnpike_limits_shared", "1 while limits are counted over all processes.", () => Number(limiter.shared)],
    ["turnpike_limits_processes", "Processes that count limits together.", () => limiter.processCount],
  ];
  return { limiter, gauges, start: () => limiter.start(), stop: () => limiter.close() };
}
