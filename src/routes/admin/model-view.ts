import type { Static } from "typebox";
import type { ModelBook } from "../../catalog/model-facts.ts";
import type { AdminModelView } from "../../contract/admin-models.ts";
import { isoTimeOrNull } from "../../contract/users.ts";
import { describeDeployment } from "../../gateway/info/describe-deployment.ts";
import { describePlatformModel } from "../../gateway/info/platform-model.ts";
import type { SeenModel } from "../../models/seen-model.ts";

type Fields = Readonly<Record<string, unknown>>;

/** A model as administrators see it: what everybody sees of it, with its parameters and where it is kept. */
export function adminModelView(
  model: SeenModel,
  book: ModelBook,
  nowMs: number,
): Static<typeof AdminModelView> & Fields {
  const { id, group, provider, source, status, deployment, faults } = model;
  const facts = deployment && book.factsFor(deployment, nowMs);
  const shown = deployment && facts ? describeDeployment(deployment, facts, true) : null;
  return {
    ...(deployment && facts ? describePlatformModel(group, deployment, facts) : {}),
    id,
    name: group,
    provider,
    source,
    readOnly: source !== "database",
    status,
    apiBase: shown?.litellm_params.api_base ?? null,
    params: shown?.litellm_params ?? {},
    info: shown?.model_info ?? {},
    faults: [...faults],
    createdBy: model.createdBy,
    createdAt: isoTimeOrNull(model.createdAt),
    updatedAt: isoTimeOrNull(model.updatedAt),
  };
}
