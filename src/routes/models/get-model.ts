import Type from "typebox";
import { GatewayError } from "../../contract/errors.ts";
import { ModelEntry } from "../../contract/models.ts";
import { findVisible } from "../../gateway/visible-models.ts";
import { json } from "../../http/reply.ts";
import { route } from "../../http/route.ts";
import type { ModelDeps } from "./model-deps.ts";
import { modelEntry } from "./model-entry.ts";

export const getModel = (deps: ModelDeps) =>
  route({
    method: "GET",
    paths: ["/v1/models/{model_id...}", "/models/{model_id...}"],
    tag: "Models",
    summary: "Tell whether a model exists and who serves it",
    description: "A name with slashes may be sent as it is or encoded.",
    auth: "key",
    params: Type.Object({ model_id: Type.String() }),
    success: ModelEntry,
    errors: ["model_not_found"],
    handle({ caller, params }) {
      const found = findVisible(deps.catalog(), caller, params.model_id);
      if (!found) throw unknownModel(params.model_id);
      return json(modelEntry(found.name, found.deployments[0]?.provider));
    },
  });

/** One answer for both, so that nobody learns which names exist. */
export const unknownModel = (name: string): GatewayError =>
  new GatewayError("model_not_found", `The model \`${name.slice(0, 200)}\` does not exist or is not accessible.`, {
    param: "model",
  });
