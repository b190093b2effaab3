import type { Operation } from "../contract/params.ts";

/** Who may be given each other's answers. */
export const CACHE_SCOPES = ["organization", "team", "key", "global"] as const;

/** `litellm_settings.cache` and `cache_params`. */
export interface CacheConfig {
  readonly enabled: boolean;
  readonly store: "local" | "redis";
  readonly onByDefault: boolean;
  readonly ttlMs: number;
  readonly namespace: string;
  readonly scope: (typeof CACHE_SCOPES)[number];
  readonly operations: readonly Operation[];
  /** Of the memory of one process, for all answers together. */
  readonly bytesMax: number;
  /** Of one answer. */
  readonly entryBytesMax: number;
  readonly hitPricePercent: number;
  /** `null`: only the same question is the same. */
  readonly semantic: SemanticCacheConfig | null;
}

export interface SemanticCacheConfig {
  readonly threshold: number;
  readonly embeddingModel: string;
  readonly chargesEmbeddings: boolean;
}
