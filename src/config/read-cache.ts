import type { Operation } from "../contract/params.ts";
import { CACHE_SCOPES, type CacheConfig, type SemanticCacheConfig } from "./cache-config.ts";
import type { CallableNames } from "./fallbacks.ts";
import { CACHE_PARAMS } from "./keys/cache-params.ts";
import { shown } from "./secrets.ts";
import { Section } from "./section.ts";

const TTL_SECONDS = 600;
const TTL_SECONDS_MAX = 30 * 86_400;
const SIZE_MB = 64;
const ENTRY_KB = 1024;
const THRESHOLD = 0.9;
const NAMESPACE = /^[\w.-]{1,64}$/;
const TYPES = ["local", "redis", "semantic", "redis-semantic"] as const;

/** What operators call the operations; an `a` before the name says nothing here. */
const CALL_TYPES: Readonly<Record<string, Operation>> = {
  completion: "chat",
  chat: "chat",
  text_completion: "completion",
  embedding: "embedding",
  moderation: "moderation",
  rerank: "rerank",
  image_generation: "image",
};
const USUAL: readonly Operation[] = ["chat", "completion", "embedding", "moderation", "rerank"];

/** The keys of `cache_params`, for the cache and for where its Redis is. */
export function cacheParams(gateway: Section): Section {
  const map = gateway.map("cache_params");
  return new Section(gateway.scope).add(map?.node, map?.path ?? "", "cache_params", CACHE_PARAMS);
}

export function readCache(
  gateway: Section,
  params: Section,
  names: CallableNames,
  redisUrl: string | null,
): CacheConfig {
  const enabled = gateway.boolean("cache") ?? false;
  if (!enabled && gateway.field("cache_params")) gateway.warn("cache_params", "has no effect without `cache: true`");
  const type = params.choice("type", TYPES) ?? "local";
  const onRedis = type === "redis" || type === "redis-semantic";
  if (enabled && onRedis && redisUrl === null) {
    params.fault(
      "type",
      "needs the address of Redis: `general_settings.redis_url`, `host` and `port`, or REDIS_HOST in the environment",
    );
  }
  const ttl = params.number("ttl", { max: TTL_SECONDS_MAX }) ?? readDefaultTtl(gateway, onRedis);
  const isSemantic = type === "semantic" || type === "redis-semantic";
  return {
    enabled,
    store: onRedis ? "redis" : "local",
    onByDefault: (params.choice("mode", ["default_on", "default_off"]) ?? "default_on") === "default_on",
    ttlMs: Math.round((ttl ?? TTL_SECONDS) * 1000),
    namespace: readNamespace(params),
    scope: params.choice("scope", CACHE_SCOPES) ?? "organization",
    operations: readOperations(params),
    bytesMax: (params.number("max_size_mb", { min: 1, max: 65_536 }) ?? SIZE_MB) * 1024 ** 2,
    entryBytesMax: (params.number("max_entry_kb", { min: 1, max: 65_536 }) ?? ENTRY_KB) * 1024,
    hitPricePercent: params.number("hit_price_percent", { integer: true, max: 100 }) ?? 0,
    semantic: readSemantic(params, names, isSemantic && enabled),
  };
}

/** Each store has one of its own; one that says nothing of ours was meant for another store. */
function readDefaultTtl(gateway: Section, onRedis: boolean): number | null {
  const [own, other] = onRedis
    ? (["default_redis_ttl", "default_in_memory_ttl"] as const)
    : (["default_in_memory_ttl", "default_redis_ttl"] as const);
  const [found, elsewhere] = [gateway.number(own), gateway.number(other)];
  if (elsewhere !== null && found === null) {
    gateway.warn(other, `has no effect: answers lie ${onRedis ? "on Redis" : "in memory"}; write \`cache_params.ttl\``);
  }
  return found;
}

function readNamespace(params: Section): string {
  const namespace = params.text("namespace") ?? "";
  if (namespace !== "" && !NAMESPACE.test(namespace)) {
    params.fault("namespace", "has up to 64 letters, digits, and the signs . _ -");
  }
  return namespace;
}

function readOperations(params: Section): readonly Operation[] {
  const listed = params.texts("supported_call_types");
  if (listed === null) return USUAL;
  const operations = new Set<Operation>();
  for (const name of listed) {
    const operation = CALL_TYPES[name] ?? CALL_TYPES[name.replace(/^a/, "")];
    if (operation) operations.add(operation);
    else params.warn("supported_call_types", `calls of the type \`${shown(name)}\` are not kept`);
  }
  return [...operations];
}

function readSemantic(params: Section, names: CallableNames, isOn: boolean): SemanticCacheConfig | null {
  const threshold = params.number("similarity_threshold", { max: 1 }) ?? THRESHOLD;
  const [own, brought] = [params.text("embedding_model"), params.text("redis_semantic_cache_embedding_model")];
  const embeddingModel = own ?? brought;
  const chargesEmbeddings = params.boolean("charge_embeddings") ?? false;
  if (!isOn) return null;
  if (embeddingModel === null) {
    params.fault("type", "needs `embedding_model`, the name of a model that makes vectors");
    return null;
  }
  if (!names.has(embeddingModel)) {
    const key = own === null ? "redis_semantic_cache_embedding_model" : "embedding_model";
    params.warn(key, `no model is called \`${shown(embeddingModel)}\`${names.suggestion(embeddingModel)}`);
  }
  return { threshold, embeddingModel, chargesEmbeddings };
}
