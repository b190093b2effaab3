import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { DeploymentView } from "../../../../src/contract/deployments.ts";
import { apiPatch, apiPost } from "../../api/client.ts";
import { DEPLOYMENTS_KEY } from "../../components/use-deployments.ts";

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
