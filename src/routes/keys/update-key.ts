import { ApiKeyRecord, UpdateKeyBody } from "../../contract/keys.ts";
import { json } from "../../http/reply.ts";
import { route } from "../../http/route.ts";
import { KeyPath, referenceOf } from "./key-path.ts";
import { keyRecord } from "./key-record.ts";
import type { KeyRouteDeps } from "./key-route-deps.ts";
import { keySettings } from "./key-settings.ts";
import { switchedKey } from "./switched-key.ts";

export const updateKey = (deps: KeyRouteDeps) =>
  route({
    method: "PATCH",
    paths: ["/api/gw/api-keys/{id}"],
    tag: "API keys",
    summary: "Change an API key and its limits",
    description:
      "What is left out stays as it is; null empties a field. `status` switches it off and on. It holds for the very next call.",
    auth: "session",
    scope: "keys:write",
    params: KeyPath,
    body: UpdateKeyBody,
    success: ApiKeyRecord,
    errors: ["invalid_request", "permission", "not_found", "conflict"],
    async handle({ caller, params, body, connection }) {
      const target = { actor: { caller, address: connection.remoteAddress }, reference: referenceOf(params) };
      const changed = await deps.keys.update({ ...target, settings: { name: body.name, ...keySettings(body) } });
      const disabled = body.status === undefined ? undefined : body.status === "disabled";
      return json(await keyRecord(deps, await switchedKey(deps.keys, target, changed, disabled)));
    },
  });
