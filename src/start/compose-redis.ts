import type { Logger } from "../lib/log.ts";
import { Redis } from "../lib/redis.ts";

/** The one connection to Redis of this process; null where none is configured. It is opened by `start`. */
export function composeRedis(url: string | null, log: Logger): Redis | null {
  if (url === null) return null;
  return new Redis(url, {
    listener: {
      connected: () => log.info("Redis answers"),
      lost: (cause) => log.warn({ err: cause }, "Redis does not answer; limits and cache do without it"),
    },
  });
}
