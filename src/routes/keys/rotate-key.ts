import { eitherOf } from "../../contract/either-of.ts";
import { FreshKeyRecord, RotateKeyBody } from "../../contract/keys.ts";
import { json } from "../../http/reply.ts";
import { route } from "../../http/route.ts";
import { KeyPath, referenceOf } from "./key-path.ts";
import { freshKeyRecord, NOT_STORED } from "./key-record.ts";
import type { KeyRouteDeps } from "./key-route-deps.ts";

export const rotateKey = (deps: KeyRouteDeps) =>
  route({
    method: "POST",
    paths: ["/api/gw/api-keys/{id}/rotate"],
    tag: "API keys",
    summary: "Give an API key a new value",
    description: "The new value is shown this once. The one before goes on for the seconds of grace, then it ends.",
    auth: "session",
    scope: "keys:write",
    params: KeyPath,
    body: RotateKeyBody,
    success: FreshKeyRecord,
    errors: ["permission", "not_found"],
    async handle({ caller, params, body, connection }) {
      const fresh = await deps.keys.rotate({
        actor: { caller, address: connection.remoteAddress },
        reference: referenceOf(params),
        graceSeconds: eitherOf(body.graceSeconds, body.grace_seconds) ?? 0,
      });
      return json(await freshKeyRecord(deps, fresh), 200, NOT_STORED);
    },
  });
