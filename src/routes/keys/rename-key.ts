import type { Keys } from "../../accounts/keys.ts";
import { ApiKeyRecord, RenameKeyBody } from "../../contract/keys.ts";
import { json } from "../../http/reply.ts";
import { route } from "../../http/route.ts";
import { keyRecord } from "./key-record.ts";

export const renameKey = (keys: Keys) =>
  route({
    method: "POST",
    paths: ["/api/api-keys/update"],
    tag: "API keys",
    summary: "Rename an API key",
    auth: "session",
    body: RenameKeyBody,
    success: ApiKeyRecord,
    errors: ["invalid_request", "permission", "not_found"],
    async handle({ caller, body, connection }) {
      const actor = { caller, address: connection.remoteAddress };
      return json(keyRecord(await keys.update({ actor, reference: body.token, settings: { name: body.name } })));
    },
  });
