import { useQueries, useQuery } from "@tanstack/react-query";
import type { PlatformModel } from "../../../../src/contract/platform-models.ts";
import { apiGet } from "../../api/client.ts";
import type { Paged } from "../../api/paged.ts";

export const MODELS_KEY = ["models"] as const;

const one = (id: string) => ({
  queryKey: [...MODELS_KEY, "one", id],
  queryFn: ({ signal }: { signal: AbortSignal }) =>
    apiGet<PlatformModel>(`/api/models/${encodeURIComponent(id)}`, {}, signal),
});

export const useModel = (id: string) => useQuery(one(id));
export const useModelsNamed = (ids: readonly string[]) => useQueries({ queries: ids.map(one) });

interface ProviderRow {
  readonly id: string;
  readonly name: string;
  readonly types: readonly string[];
}

/** Providers and types that there are models of, for the filters. */
export function useFacets(): { providers: readonly ProviderRow[]; types: readonly string[] } {
  const { data } = useQuery({
    queryKey: [...MODELS_KEY, "providers"],
    queryFn: ({ signal }) => apiGet<Paged<ProviderRow>>("/api/providers", { pageSize: 100 }, signal),
    staleTime: 5 * 60_000,
  });
  const providers = data?.data ?? [];
  return { providers, types: [...new Set(providers.flatMap(({ types }) => types))].sort() };
}
