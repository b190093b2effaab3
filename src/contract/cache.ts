import Type from "typebox";
import { nullable } from "./schema.ts";

const Seconds = Type.Number({ minimum: 0, maximum: 30 * 86_400 });

/** What a call may say about the answers that are kept: the field `cache` of its body. */
const CacheControlsBody = Type.Object(
  {
    "no-cache": nullable(Type.Boolean({ description: "Ask the model, whatever is kept." })),
    "no-store": nullable(Type.Boolean({ description: "Do not keep the answer." })),
    ttl: nullable(Type.Number({ ...Seconds, description: "Seconds for which the answer is kept." })),
    "s-maxage": nullable(Type.Number({ ...Seconds, description: "Only answers that are younger, in seconds." })),
    "s-max-age": nullable(Type.Number({ ...Seconds, description: "The same." })),
    namespace: nullable(Type.String({ pattern: "^[\\w.-]{1,64}$", description: "Keeps answers apart." })),
    "use-cache": nullable(Type.Boolean({ description: "Where the cache is off by default: use it." })),
  },
  { additionalProperties: false },
);

/** For the bodies of calls whose answers may be kept. */
export const CACHE_FIELDS = { cache: nullable(CacheControlsBody) };

export const CacheView = Type.Object({
  enabled: Type.Boolean(),
  store: Type.Enum(["local", "redis"]),
  connected: Type.Boolean(),
  mode: Type.Enum(["default_on", "default_off"]),
  scope: Type.Enum(["organization", "team", "key", "global"]),
  namespace: Type.Union([Type.String(), Type.Null()]),
  ttlSeconds: Type.Number(),
  hitPricePercent: Type.Integer(),
  semantic: Type.Union([
    Type.Object({ embeddingModel: Type.String(), similarityThreshold: Type.Number() }),
    Type.Null(),
  ]),
  entries: Type.Union([Type.Integer(), Type.Null()]),
  bytes: Type.Union([Type.Integer(), Type.Null()]),
  bytesMax: Type.Union([Type.Integer(), Type.Null()]),
  hits: Type.Integer(),
  semanticHits: Type.Integer(),
  sharedHits: Type.Integer(),
  misses: Type.Integer(),
  hitRate: Type.Union([Type.Number(), Type.Null()]),
  kept: Type.Integer(),
  evicted: Type.Integer(),
});

export const CacheFlushed = Type.Object({ success: Type.Literal(true), entries: Type.Integer() });

export const CacheKeysBody = Type.Object(
  { keys: Type.Array(Type.String({ pattern: "^([\\w.-]{1,64}:)?[0-9a-f]{64}$" }), { minItems: 1, maxItems: 1000 }) },
  { additionalProperties: false },
);
