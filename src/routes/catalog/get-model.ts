import Type from "typebox";
import { GatewayError } from "../../contract/errors.ts";
import { PlatformModel } from "../../contract/platform-models.ts";
import { json } from "../../http/reply.ts";
import { route } from "../../http/route.ts";
import { type CatalogDeps, findPlatformModel } from "./platform-models.ts";

export const getPlatformModel = (deps: CatalogDeps) =>
  route({
    method: "GET",
    paths: ["/api/models/{model_id...}"],
    tag: "Catalogue",
    summary: "Show a model that can be called",
    description: "A name with slashes may be sent as it is or encoded.",
    auth: "none",
    params: Type.Object({ model_id: Type.String() }),
    success: PlatformModel,
    errors: ["not_found"],
    async handle({ params }) {
      const model = await findPlatformModel(deps, params.model_id);
      if (model === null) throw new GatewayError("not_found", "There is no such model in the catalogue.");
      return json(model);
    },
  });
