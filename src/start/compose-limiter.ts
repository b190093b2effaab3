import type { Clock } from "../lib/clock.ts";
import { newId } from "../lib/ids.ts";
import type { Redis } from "../lib/redis.ts";
import { LocalLimiter } from "../limits/local-limiter.ts";
import type { Limiter } from "../limits/meter.ts";
import { SharedLimiter } from "../limits/shared-limiter.ts";

export interface LimiterSide {
  readonly limiter: Limiter;
  /** Counts with other processes from now on; once Redis was tried. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** Limits in the memory of this process, or over all processes where there is a Redis. */
export function composeLimiter(redis: Redis | null, clock: Clock): LimiterSide {
  const nowMs = (): number => clock.monotonicMs();
  if (redis === null) {
    return { limiter: new LocalLimiter(nowMs), start: async () => undefined, stop: async () => undefined };
  }
  const limiter = new SharedLimiter({ redis, process: newId(), nowMs });
  return { limiter, start: () => limiter.start(), stop: () => limiter.close() };
}
