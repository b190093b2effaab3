import { MemoryStore } from "../cache/memory-store.ts";
import { RedisIndex } from "../cache/redis-index.ts";
import { RedisStore } from "../cache/redis-store.ts";
import { AnswerCache, type CacheSettings } from "../cache/response-cache.ts";
import { MemoryIndex } from "../cache/semantic-index.ts";
import type { CacheConfig } from "../config/cache-config.ts";
import type { WatchedGauge } from "../http/metrics.ts";
import type { Clock } from "../lib/clock.ts";
import { hmacBytes } from "../lib/hmac.ts";
import type { Logger } from "../lib/log.ts";
import type { Redis } from "../lib/redis.ts";
import { systemTimers } from "../lib/timers.ts";
import type { LiveConfig } from "./live-config.ts";

interface CacheSurroundings {
  readonly redis: Redis | null;
  readonly secret: string;
  readonly clock: Clock;
  readonly log: Logger;
}

/** How often a failing Redis is told about. */
const TELL_EVERY_MS = 60_000;
/** Of the memory for answers, vectors of questions get a quarter on top. */
const VECTORS_SHARE = 4;

/** The cache over the store that the configuration names at the start; all else of it is asked anew for each call. */
export function composeCache(live: LiveConfig, { redis, secret, clock, log }: CacheSurroundings): AnswerCache {
  const { store, bytesMax } = live.config.cache;
  const nowMs = () => clock.nowMs();
  const settings = () => cacheSettings(live.config.cache);
  if (store === "local" || redis === null) {
    const index = new MemoryIndex(bytesMax / VECTORS_SHARE);
    return new AnswerCache(settings, new MemoryStore(bytesMax, nowMs), index, nowMs, log, systemTimers);
  }
  const key = hmacBytes(secret, "turnpike:cache-key");
  const installation = hmacBytes(secret, "turnpike:cache-prefix").toString("hex").slice(0, 16);
  const prefix = (what: string) => `turnpike:${installation}:cache:${what}:`;
  const tell = seldom(clock, (err) => log.warn({ err }, "the cache on Redis failed; calls go on without it"));
  const answers = new RedisStore(redis, prefix("answer"), key, nowMs, tell);
  const index = new RedisIndex(redis, prefix("near"), key, () => settings().ttlMs, tell);
  return new AnswerCache(settings, answers, index, nowMs, log, systemTimers);
}

function seldom(clock: Clock, tell: (fault: unknown) => void): (fault: unknown) => void {
  let toldAtMs = Number.NEGATIVE_INFINITY;
  return (fault) => {
    const now = clock.monotonicMs();
    if (now - toldAtMs < TELL_EVERY_MS) return;
    toldAtMs = now;
    tell(fault);
  };
}

const made = new WeakMap<CacheConfig, CacheSettings>();

/** Made once for each configuration that is loaded. */
function cacheSettings(config: CacheConfig): CacheSettings {
  const known = made.get(config);
  if (known) return known;
  const settings = { ...config, operations: new Set(config.operations) };
  made.set(config, settings);
  return settings;
}

/** How the cache does, for /metrics. */
export const cacheGauges = ({ counts, store, flights }: AnswerCache): readonly WatchedGauge[] => [
  ["turnpike_cache_hits", "Calls answered from the cache since the start.", () => counts.hits, "total"],
  ["turnpike_cache_semantic_hits", "Of them, those found by their meaning.", () => counts.semanticHits, "total"],
  [
    "turnpike_cache_shared_hits",
    "Of them, those that waited for the same call of somebody else.",
    () => counts.sharedHits,
    "total",
  ],
  ["turnpike_cache_misses", "Calls for which nothing was kept.", () => counts.misses, "total"],
  ["turnpike_cache_kept", "Answers that were kept since the start.", () => counts.kept, "total"],
  ["turnpike_cache_flights", "Calls that others may be waiting for.", () => flights.size],
  ["turnpike_cache_waiting", "Calls that wait for the same call of another.", () => flights.waiting],
  ...(store instanceof MemoryStore ? memoryGauges(store) : []),
];

const memoryGauges = (store: MemoryStore): readonly WatchedGauge[] => [
  ["turnpike_cache_entries", "Answers in memory.", () => store.sizeNow.entries],
  ["turnpike_cache_bytes", "What they take.", () => store.sizeNow.bytes],
  ["turnpike_cache_evicted", "Answers that left for want of room.", () => store.sizeNow.evicted, "total"],
];
