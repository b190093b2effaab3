import { type Actor, change } from "../accounts/change.ts";
import type { DeploymentSwitch } from "../accounts/model-records.ts";
import type { AccountStores } from "../accounts/store.ts";
import type { Clock } from "../lib/clock.ts";
import { type ModelStock, noteModelChange } from "./stock.ts";

export interface DeploymentSwitchDeps {
  readonly stores: AccountStores;
  readonly clock: Clock;
  readonly stock: Pick<ModelStock, "refresh">;
}

export type SwitchChanges = Partial<Pick<DeploymentSwitch, "enabled" | "weight" | "restUntil" | "clearedAt">>;

/** What operators set about deployments while they run. It holds in every process within seconds, here at once. */
export class DeploymentSwitches {
  constructor(private readonly deps: DeploymentSwitchDeps) {}

  async set(actor: Actor, deploymentId: string, action: string, changes: SwitchChanges): Promise<void> {
    const { stores, clock, stock } = this.deps;
    await change(
      stores,
      clock,
      actor,
      async (tx) => {
        await noteModelChange(tx);
        const present = (await tx.deploymentSwitches.find(deploymentId)) ?? unset(deploymentId);
        // Later than what is there, so that everybody can tell which is the newer one, and that a rest was ended once more.
        const updatedAt = Math.max(clock.nowMs(), present.updatedAt + 1);
        const clearedAt = changes.clearedAt ? updatedAt : present.clearedAt;
        await tx.deploymentSwitches.put({ ...present, ...changes, clearedAt, updatedAt });
      },
      () => ({
        action,
        organizationId: null,
        targetType: "deployment",
        targetId: deploymentId,
        details: { ...changes },
      }),
    );
    await stock.refresh();
  }
}

const unset = (deploymentId: string): DeploymentSwitch => ({
  deploymentId,
  enabled: true,
  weight: null,
  restUntil: null,
  clearedAt: null,
  updatedAt: 0,
});
