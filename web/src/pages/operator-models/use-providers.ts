import { useQuery } from "@tanstack/react-query";
import { apiGet } from "../../api/client.ts";
import type { Paged } from "../../api/paged.ts";

export interface ProviderCredential {
  readonly name: string;
  readonly provider: string | null;
  readonly source: "configuration" | "database";
  readonly values: Readonly<Record<string, unknown>>;
  readonly usedBy: readonly string[];
  readonly createdAt: string | null;
  readonly updatedAt: string | null;
}

export interface AdminProvider {
  readonly id: string;
  readonly name: string;
  readonly configured: boolean;
  readonly modelsCount: number;
  readonly credentials: readonly ProviderCredential[];
}

export const PROVIDERS_KEY = ["operator", "providers"] as const;

async function readAll(signal: AbortSignal): Promise<readonly AdminProvider[]> {
  const found: AdminProvider[] = [];
  for (let page = 1; ; page++) {
    const { data, meta } = await apiGet<Paged<AdminProvider>>("/api/admin/providers", { page, pageSize: 100 }, signal);
    found.push(...data);
    if (page >= meta.totalPages) return found;
  }
}

/** Every provider that can be called, those that are set up first. There are about a hundred. */
export const useProviders = () =>
  useQuery({ queryKey: PROVIDERS_KEY, queryFn: ({ signal }) => readAll(signal), staleTime: 60_000 });

/** For a list to choose from: several providers have one title. */
export const providerChoice = ({ id, name }: AdminProvider) => ({
  value: id,
  label: name === id ? id : `${name} (${id})`,
});
