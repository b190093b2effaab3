import { eitherOf } from "../../contract/either-of.ts";
import { GatewayError } from "../../contract/errors.ts";
import { CreateKeyBody, FreshKeyRecord } from "../../contract/keys.ts";
import { json } from "../../http/reply.ts";
import { route } from "../../http/route.ts";
import { freshKeyRecord, NOT_STORED } from "./key-record.ts";
import type { KeyRouteDeps } from "./key-route-deps.ts";
import { keySettings } from "./key-settings.ts";

export const createKey = (deps: KeyRouteDeps) =>
  route({
    method: "POST",
    paths: ["/api/gw/api-keys"],
    tag: "API keys",
    summary: "Create an API key",
    description:
      "For whoever is in the team, and for administrators of the organization. `token` and `key` of the answer are the whole " +
      "key: it is shown this once, because only its hash is kept.",
    auth: "session",
    scope: "keys:write",
    body: CreateKeyBody,
    success: FreshKeyRecord,
    successStatus: 201,
    errors: ["invalid_request", "permission", "not_found", "conflict"],
    async handle({ caller, body, connection }) {
      const teamId = eitherOf(body.teamId, body.team_id);
      if (teamId === undefined) {
        throw new GatewayError("invalid_request", "team_id: Field required", { param: "team_id" });
      }
      const actor = { caller, address: connection.remoteAddress };
      const fresh = await deps.keys.create({ actor, teamId, name: body.name, settings: keySettings(body) });
      return json(await freshKeyRecord(deps, fresh), 201, NOT_STORED);
    },
  });
