import Type from "typebox";
import { GatewayError } from "../../contract/errors.ts";
import { ModelId, PatchModelBody, StoredModelEntry, UpdateModelBody } from "../../contract/stored-models.ts";
import { json } from "../../http/reply.ts";
import { type Route, route } from "../../http/route.ts";
import type { EntryChanges } from "../../models/entry.ts";
import { requireSameId } from "./named-model.ts";
import { BODY_BYTES_MAX, type StoredModelRouteDeps } from "./stored-model-deps.ts";
import { storedModelEntry } from "./stored-model-entry.ts";

const shared = {
  tag: "Stored models",
  auth: "admin",
  bodyBytesMax: BODY_BYTES_MAX,
  success: StoredModelEntry,
  errors: ["invalid_request", "not_found", "conflict"],
} as const;

/** One operation under two paths, since callers name the model in the body or in the path. */
export const updateModel = (deps: StoredModelRouteDeps): Route[] => [
  route({
    ...shared,
    method: "POST",
    paths: ["/model/update"],
    summary: "Change a stored model",
    body: UpdateModelBody,
    async handle({ caller, body, connection }) {
      const id = body.model_id ?? body.id ?? body.model_info?.id;
      requireSameId(id, body.id, "id");
      requireSameId(id, body.model_info?.id, "model_info.id");
      if (!id) throw new GatewayError("invalid_request", "`model_info.id` is missing.", { param: "model_info.id" });
      const actor = { caller, address: connection.remoteAddress };
      return json(await storedModelEntry(deps, await deps.models.update(actor, id, changesOf(body))));
    },
  }),
  route({
    ...shared,
    method: "PATCH",
    paths: ["/model/{model_id}/update"],
    summary: "Change the stored model that the path names",
    params: Type.Object({ model_id: ModelId }),
    body: PatchModelBody,
    async handle({ caller, params, body, connection }) {
      const actor = { caller, address: connection.remoteAddress };
      requireSameId(params.model_id, body.model_info?.id, "model_info.id");
      const changed = await deps.models.update(actor, params.model_id, changesOf(body));
      return json(await storedModelEntry(deps, changed));
    },
  }),
];

const changesOf = (body: Type.Static<typeof PatchModelBody>): EntryChanges => ({
  ...(body.model_name ? { group: body.model_name } : {}),
  ...(body.litellm_params ? { params: body.litellm_params } : {}),
  ...(body.model_info ? { info: body.model_info } : {}),
});
