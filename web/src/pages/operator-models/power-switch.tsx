import { Switch, Tooltip } from "@mantine/core";
import type { MouseEvent } from "react";
import type { DeploymentView } from "../../../../src/contract/deployments.ts";
import { useDeploymentChange } from "./use-deployment-change.ts";

/** Whether a deployment gets calls. It follows the hand at once, and goes back if the server refuses. */
export function PowerSwitch({ deployment, name }: { deployment: DeploymentView; name: string }) {
  const { set } = useDeploymentChange(deployment.id);
  const shown = set.isPending ? set.variables.enabled === true : deployment.enabled;
  return (
    <Tooltip label={shown ? "Switch it off: it gets no calls" : "Switch it on"}>
      <Switch
        aria-label={`${name} gets calls`}
        checked={shown}
        onChange={(event) => set.mutate({ enabled: event.currentTarget.checked })}
        wrapperProps={{ onClick: (event: MouseEvent) => event.stopPropagation() }}
      />
    </Tooltip>
  );
}
