import { ModelReference, StoredModelEntry } from "../../contract/stored-models.ts";
import { json } from "../../http/reply.ts";
import { type Route, route } from "../../http/route.ts";
import { namedModel } from "./named-model.ts";
import { BODY_BYTES_MAX, type StoredModelRouteDeps } from "./stored-model-deps.ts";
import { storedModelEntry } from "./stored-model-entry.ts";

/** Switching a stored model off and on again. */
export const blockModel = (deps: StoredModelRouteDeps): Route[] => [
  switching(deps, "/model/block", "Take a stored model out of use", "disabled"),
  switching(deps, "/model/unblock", "Take a stored model into use again", "enabled"),
];

const switching = (deps: StoredModelRouteDeps, path: string, summary: string, status: "enabled" | "disabled"): Route =>
  route({
    method: "POST",
    paths: [path],
    tag: "Stored models",
    summary,
    auth: "admin",
    body: ModelReference,
    bodyBytesMax: BODY_BYTES_MAX,
    success: StoredModelEntry,
    errors: ["invalid_request", "not_found", "conflict"],
    async handle({ caller, body, connection }) {
      const actor = { caller, address: connection.remoteAddress };
      return json(await storedModelEntry(deps, await deps.models.setStatus(actor, namedModel(body), status)));
    },
  });
