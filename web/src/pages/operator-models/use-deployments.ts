import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import type { DeploymentView } from "../../../../src/contract/deployments.ts";
import { apiGet, apiPatch, apiPost } from "../../api/client.ts";
import type { Paged } from "../../api/paged.ts";

export const DEPLOYMENTS_KEY = ["operator", "deployments"] as const;
const PAGE_SIZE = 100;
/** States change by themselves: a rest ends, a probe succeeds. */
const REFETCH_MS = 2000;

/** Every deployment as it runs, by its id. The list is short, and states are wanted beside other lists. */
async function readAll(signal: AbortSignal): Promise<ReadonlyMap<string, DeploymentView>> {
  const found: DeploymentView[] = [];
  for (let page = 1; ; page++) {
    const { data, meta } = await apiGet<Paged<DeploymentView>>(
      "/api/admin/deployments",
      { page, pageSize: PAGE_SIZE },
      signal,
    );
    found.push(...data);
    if (page >= meta.totalPages) return new Map(found.map((one) => [one.id, one]));
  }
}

export const useDeployments = () =>
  useQuery({ queryKey: DEPLOYMENTS_KEY, queryFn: ({ signal }) => readAll(signal), refetchInterval: REFETCH_MS });

/** What operators do about one deployment. What the server answers is shown at once. */
export function useDeploymentChange(id: string) {
  const client = useQueryClient();
  const keep = (changed: DeploymentView): void => {
    client.setQueryData<ReadonlyMap<string, DeploymentView>>(DEPLOYMENTS_KEY, (before) =>
      before ? new Map(before).set(changed.id, changed) : before,
    );
  };
  const path = `/api/admin/deployments/${encodeURIComponent(id)}`;
  const set = useMutation({
    mutationFn: (changes: { enabled?: boolean; weight?: number | null }) => apiPatch<DeploymentView>(path, changes),
    onSuccess: keep,
  });
  const cool = useMutation({
    mutationFn: (body: { action: "start" | "clear"; seconds?: number }) =>
      apiPost<DeploymentView>(`${path}/cooldown`, body),
    onSuccess: keep,
  });
  return { set, cool };
}
