import { ApiKeyRecord, RenameKeyBody } from "../../contract/keys.ts";
import { json } from "../../http/reply.ts";
import { route } from "../../http/route.ts";
import { keyRecord } from "./key-record.ts";
import type { KeyRouteDeps } from "./key-route-deps.ts";

export const renameKey = (deps: KeyRouteDeps) =>
  route({
    method: "POST",
    paths: ["/api/api-keys/update"],
    tag: "API keys",
    summary: "Rename an API key",
    auth: "session",
    scope: "keys:write",
    body: RenameKeyBody,
    success: ApiKeyRecord,
    errors: ["invalid_request", "permission", "not_found", "conflict"],
    async handle({ caller, body, connection }) {
      const actor = { caller, address: connection.remoteAddress };
      return json(
        await keyRecord(deps, await deps.keys.update({ actor, reference: body.token, settings: { name: body.name } })),
      );
    },
  });
