import { NewModelBody, StoredModelEntry } from "../../contract/stored-models.ts";
import { json } from "../../http/reply.ts";
import { route } from "../../http/route.ts";
import { BODY_BYTES_MAX, type StoredModelRouteDeps } from "./stored-model-deps.ts";
import { storedModelEntry } from "./stored-model-entry.ts";

export const newModel = (deps: StoredModelRouteDeps) =>
  route({
    method: "POST",
    paths: ["/model/new"],
    tag: "Stored models",
    summary: "Add a model",
    description:
      "The entry is what the configuration file's `model_list` holds and is checked by the same rules. It can be called at " +
      "once, and through other processes within seconds. A name that exists gets one more deployment.",
    auth: "admin",
    body: NewModelBody,
    bodyBytesMax: BODY_BYTES_MAX,
    success: StoredModelEntry,
    errors: ["invalid_request", "conflict"],
    async handle({ caller, body, connection }) {
      const { model_name: group, litellm_params: params, model_info: info } = body;
      const actor = { caller, address: connection.remoteAddress };
      const made = await deps.models.create(actor, { group, params, info: info ?? {} });
      return json(await storedModelEntry(deps, made));
    },
  });
