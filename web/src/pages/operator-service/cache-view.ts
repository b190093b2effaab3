import { useQuery } from "@tanstack/react-query";
import { apiGet } from "../../api/client.ts";

export interface CacheView {
  readonly enabled: boolean;
  readonly store: "local" | "redis";
  readonly connected: boolean;
  readonly mode: "default_on" | "default_off";
  readonly scope: "organization" | "team" | "key" | "global";
  readonly namespace: string | null;
  readonly ttlSeconds: number;
  readonly hitPricePercent: number;
  readonly semantic: { readonly embeddingModel: string; readonly similarityThreshold: number } | null;
  readonly entries: number | null;
  readonly bytes: number | null;
  readonly bytesMax: number | null;
  readonly hits: number;
  readonly semanticHits: number;
  readonly sharedHits: number;
  readonly misses: number;
  readonly hitRate: number | null;
  readonly kept: number;
  readonly evicted: number;
}

export const CACHE_KEY = ["operator", "cache"] as const;

export const useCache = () =>
  useQuery({
    queryKey: CACHE_KEY,
    queryFn: ({ signal }) => apiGet<CacheView>("/api/admin/cache", {}, signal),
    refetchInterval: 5000,
  });
