import { useQuery } from "@tanstack/react-query";
import type { DeploymentView } from "../../../src/contract/deployments.ts";
import { apiGet } from "../api/client.ts";
import type { Paged } from "../api/paged.ts";

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

/** Its state says that it is well because nothing has failed; no call and no check has shown that it answers. */
export const isUntried = ({ state, lacks, calls, checkOk }: DeploymentView): boolean =>
  state === "well" && lacks === null && calls === 0 && checkOk !== true;

/** It gets calls, but none can succeed before the operator has set what is missing. */
export const isNotSetUp = ({ enabled, lacks }: DeploymentView): boolean => enabled && lacks !== null;
