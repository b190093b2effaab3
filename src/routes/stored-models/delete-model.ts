import Type from "typebox";
import { ModelReference } from "../../contract/stored-models.ts";
import { json } from "../../http/reply.ts";
import { route } from "../../http/route.ts";
import { namedModel } from "./named-model.ts";
import { BODY_BYTES_MAX, type StoredModelRouteDeps } from "./stored-model-deps.ts";

export const deleteModel = ({ models }: StoredModelRouteDeps) =>
  route({
    method: "POST",
    paths: ["/model/delete"],
    tag: "Stored models",
    summary: "Remove a stored model",
    description: "Calls under way go on. A model of the configuration file is not removed: 409.",
    auth: "admin",
    body: ModelReference,
    bodyBytesMax: BODY_BYTES_MAX,
    success: Type.Object({ message: Type.String(), model_id: Type.String() }),
    errors: ["invalid_request", "not_found", "conflict"],
    async handle({ caller, body, connection }) {
      const id = namedModel(body);
      await models.remove({ caller, address: connection.remoteAddress }, id);
      return json({ message: "The model was removed.", model_id: id });
    },
  });
