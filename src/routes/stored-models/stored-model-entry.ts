import type { StoredModelEntry } from "../../contract/stored-models.ts";
import { isoTimeOrNull } from "../../contract/users.ts";
import type { GatewayDeps } from "../../gateway/call/gateway.ts";
import { describeDeployment } from "../../gateway/info/describe-deployment.ts";
import type { ChangedModel } from "../../models/stored-models.ts";

/** A stored model as the gateway's operators are shown it: as model information shows it, with who made it and when. */
export async function storedModelEntry(
  { prices, clock }: Pick<GatewayDeps, "prices" | "clock">,
  { model, warnings }: ChangedModel,
): Promise<StoredModelEntry> {
  const { id, group, deployment, faults } = model;
  const book = await prices.book();
  const shown = deployment && describeDeployment(deployment, book.factsFor(deployment, clock.nowMs()), true);
  return {
    model_id: id,
    model_name: group,
    litellm_params: shown?.litellm_params ?? {},
    model_info: shown?.model_info ?? { id, db_model: true },
    blocked: model.status === "disabled",
    created_by: model.createdBy,
    created_at: isoTimeOrNull(model.createdAt),
    updated_at: isoTimeOrNull(model.updatedAt),
    warnings: [...warnings, ...faults],
  };
}
