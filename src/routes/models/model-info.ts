import Type from "typebox";
import { loadModelBook } from "../../catalog/model-facts.ts";
import { ModelInfoEntry } from "../../contract/models.ts";
import { nullable } from "../../contract/schema.ts";
import { describeDeployment } from "../../gateway/describe-deployment.ts";
import { mayCall } from "../../gateway/model-access.ts";
import { json } from "../../http/reply.ts";
import { route } from "../../http/route.ts";
import type { ModelDeps } from "./model-deps.ts";
import { unknownModel } from "./unknown-model.ts";

export const modelInfo = (deps: ModelDeps) =>
  route({
    method: "GET",
    paths: ["/v1/model/info", "/model/info"],
    tag: "Models",
    summary: "Describe the deployments that the key may call",
    description:
      "Limits, capabilities and prices; what is not known is null. Parameters are shown to the master key only.",
    auth: "key",
    query: Type.Object({
      gw_model_id: nullable(Type.String({ description: "Only the deployment with this id." })),
      litellm_model_id: nullable(Type.String({ description: "The same, by the name that other clients send." })),
    }),
    success: Type.Object({ data: Type.Array(ModelInfoEntry) }),
    errors: ["model_not_found"],
    async handle({ caller, query }) {
      const id = query.gw_model_id ?? query.litellm_model_id ?? null;
      const catalog = deps.catalog();
      const seen = catalog.deployments
        .filter(({ group }) => mayCall(catalog, caller, group, group))
        .filter((deployment) => id === null || deployment.id === id);
      if (id !== null && seen.length === 0) throw unknownModel(id);
      const book = await loadModelBook();
      const now = deps.clock.nowMs();
      return json({
        data: seen.map((deployment) => describeDeployment(deployment, book.factsFor(deployment, now), caller.master)),
      });
    },
  });
