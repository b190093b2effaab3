import Type from "typebox";
import type { Deployment } from "../../contract/deployment.ts";
import { ModelInfoEntry } from "../../contract/models.ts";
import { FactsSource } from "../../contract/price-import.ts";
import { nullable } from "../../contract/schema.ts";
import { describeDeployment } from "../../gateway/info/describe-deployment.ts";
import { mayCall } from "../../gateway/pipeline/authorize-model.ts";
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
      "Limits, capabilities and prices; what is not known is null. `facts` has the date of the model table that they are " +
      "from. Parameters are shown to the master key only.",
    auth: "key",
    query: Type.Object({
      gw_model_id: nullable(Type.String({ description: "Only the deployment with this id." })),
      litellm_model_id: nullable(Type.String({ description: "The same, by the name that other clients send." })),
    }),
    success: Type.Object({ data: Type.Array(ModelInfoEntry), facts: FactsSource }),
    errors: ["model_not_found"],
    async handle({ caller, query }) {
      const id = query.gw_model_id ?? query.litellm_model_id ?? null;
      const isRequested = (deployment: Deployment): boolean => id === null || deployment.id === id;
      const catalog = deps.catalog();
      const seen = catalog.deployments
        .filter(({ group }) => mayCall(catalog, caller, group, group))
        .filter(isRequested);
      // The operator needs a blocked model's id to unblock it.
      const blocked = caller.master ? deps.blocked().filter(isRequested) : [];
      if (id !== null && seen.length + blocked.length === 0) throw unknownModel(id);
      const book = await deps.prices.book();
      const now = deps.clock.nowMs();
      const described = (deployment: Deployment) =>
        describeDeployment(deployment, book.factsFor(deployment, now), caller.master);
      return json({
        facts: await deps.prices.inUse(),
        data: [...seen.map(described), ...blocked.map((one) => ({ ...described(one), blocked: true }))],
      });
    },
  });
