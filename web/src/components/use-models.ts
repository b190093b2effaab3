import { useQuery } from "@tanstack/react-query";
import { apiGet } from "../api/client.ts";
import type { Paged } from "../api/paged.ts";

/** A model as the public list has it. Prices are nano-USD for a million units; null where they are not known. */
export interface PlatformModel {
  readonly id: string;
  readonly name: string;
  readonly provider: string;
  readonly providerName: string;
  readonly type: string;
  readonly contextLength: number | null;
  readonly maxOutputTokens: number | null;
  readonly inputPrice: number | null;
  readonly outputPrice: number | null;
  readonly pricing: readonly { readonly component: string; readonly price: number }[];
  readonly capabilities: Readonly<Record<"vision" | "tools" | "parallelTools" | "json" | "reasoning", boolean | null>>;
  readonly supportedParams: readonly string[];
}

/** All models, for choices; the server has a hundred on a page. */
export const useModels = () =>
  useQuery({
    queryKey: ["models", "all"],
    staleTime: 5 * 60_000,
    async queryFn({ signal }) {
      const read = (page: number) => apiGet<Paged<PlatformModel>>("/api/models", { page, pageSize: 100 }, signal);
      const first = await read(1);
      const rest = Array.from({ length: Math.min(first.meta.totalPages - 1, 19) }, (_, at) => read(at + 2));
      return [first, ...(await Promise.all(rest))].flatMap(({ data }) => data);
    },
  });
