import { useQuery } from "@tanstack/react-query";
import type { PlatformModel } from "../../../src/contract/platform-models.ts";
import { apiGet } from "../api/client.ts";
import type { Paged } from "../api/paged.ts";

export type { PlatformModel };

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
