import Type from "typebox";
import { CacheFlushed, CacheKeysBody, CacheView } from "../../contract/cache.ts";
import { GatewayError } from "../../contract/errors.ts";
import { json } from "../../http/reply.ts";
import { type Route, route } from "../../http/route.ts";
import { asked, type CacheRouteDeps, flush, forget } from "./cache-deps.ts";

const shared = { tag: "Cache", auth: "admin" } as const;
const Status = Type.Object({ status: Type.String() }, { additionalProperties: true });

/** How the cache does, and what operators can do about it: the platform's own names first, then those that scripts use. */
export const cacheRoutes = (deps: CacheRouteDeps): Route[] => [
  showCache(deps),
  flushCache(deps),
  pingCache(deps),
  deleteKeys(deps),
  flushAll(deps),
  redisInfo(deps),
];

const showCache = ({ cache, bytesMax }: CacheRouteDeps) =>
  route({
    ...shared,
    method: "GET",
    paths: ["/api/admin/cache"],
    summary: "Show what the cache holds and how often it helped",
    description: "Counts are those of the process that answers, since its start. Redis does not tell bytes.",
    success: CacheView,
    errors: [],
    async handle() {
      const { counts, store } = cache;
      const settings = cache.settings();
      const looked = counts.hits + counts.misses;
      const { semantic } = settings;
      return json({
        enabled: settings.enabled,
        store: store.kind,
        connected: store.connected,
        mode: settings.onByDefault ? "default_on" : "default_off",
        scope: settings.scope,
        namespace: settings.namespace === "" ? null : settings.namespace,
        ttlSeconds: settings.ttlMs / 1000,
        hitPricePercent: settings.hitPricePercent,
        semantic: semantic && { embeddingModel: semantic.embeddingModel, similarityThreshold: semantic.threshold },
        ...(await sizeOf(cache.store)),
        bytesMax: bytesMax(),
        ...counts,
        hitRate: looked === 0 ? null : counts.hits / looked,
      });
    },
  });

/** A store that is away is shown as such. */
async function sizeOf(store: CacheRouteDeps["cache"]["store"]) {
  try {
    return await store.size();
  } catch {
    return { entries: null, bytes: null, evicted: 0 };
  }
}

const flushCache = (deps: CacheRouteDeps) =>
  route({
    ...shared,
    method: "POST",
    paths: ["/api/admin/cache/flush"],
    summary: "Forget every answer that is kept",
    description: "In memory: those of the process that answers. On Redis: those of the whole installation.",
    success: CacheFlushed,
    errors: ["unavailable"],
    handle: async (context) => json({ success: true, entries: await flush(deps, context) }),
  });

const pingCache = ({ cache }: CacheRouteDeps) =>
  route({
    ...shared,
    method: "GET",
    paths: ["/cache/ping"],
    summary: "Ask whether the cache works",
    success: Status,
    errors: ["unavailable"],
    async handle() {
      const { enabled, ttlMs, namespace, scope } = cache.settings();
      if (!enabled) throw new GatewayError("unavailable", "The cache is off; `cache: true` switches it on.");
      await asked(() => cache.store.ping());
      return json({
        status: "healthy",
        cache_type: cache.store.kind,
        ping_response: true,
        cache_params: { ttl: ttlMs / 1000, namespace: namespace === "" ? null : namespace, scope },
      });
    },
  });

const deleteKeys = (deps: CacheRouteDeps) =>
  route({
    ...shared,
    method: "POST",
    paths: ["/cache/delete"],
    summary: "Forget answers by their keys, as `x-gw-cache-key` tells them",
    body: CacheKeysBody,
    success: Status,
    errors: ["unavailable"],
    handle: async (context) => json({ status: "success", deleted: await forget(deps, context, context.body.keys) }),
  });

const flushAll = (deps: CacheRouteDeps) =>
  route({
    ...shared,
    method: "POST",
    paths: ["/cache/flushall"],
    summary: "Forget every answer that is kept",
    success: Status,
    errors: ["unavailable"],
    handle: async (context) => json({ status: "success", deleted: await flush(deps, context) }),
  });

const redisInfo = ({ cache }: CacheRouteDeps) =>
  route({
    ...shared,
    method: "GET",
    paths: ["/cache/redis/info"],
    summary: "Show what Redis tells of itself",
    success: Type.Object({ num_clients: Type.Integer(), info: Type.Record(Type.String(), Type.String()) }),
    errors: ["invalid_request", "unavailable"],
    async handle() {
      if (cache.store.kind !== "redis") throw new GatewayError("invalid_request", "The cache is not kept on Redis.");
      const info = await asked(async () => (await cache.store.info()) ?? {});
      return json({ num_clients: Number(info.connected_clients ?? 0), info });
    },
  });
