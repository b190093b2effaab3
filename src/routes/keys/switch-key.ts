import { ApiKeyRecord } from "../../contract/keys.ts";
import { json } from "../../http/reply.ts";
import { type Route, route } from "../../http/route.ts";
import { KeyPath, referenceOf } from "./key-path.ts";
import { keyRecord } from "./key-record.ts";
import type { KeyRouteDeps } from "./key-route-deps.ts";

const shared = {
  method: "POST",
  tag: "API keys",
  auth: "session",
  scope: "keys:write",
  params: KeyPath,
  success: ApiKeyRecord,
  errors: ["permission", "not_found"],
} as const;

export const switchKey = (deps: KeyRouteDeps): Route[] => [
  route({
    ...shared,
    paths: ["/api/gw/api-keys/{id}/disable"],
    summary: "Switch an API key off",
    description: "It is refused from the very next call on, until it is switched on again.",
    async handle({ caller, params, connection }) {
      const actor = { caller, address: connection.remoteAddress };
      return json(await keyRecord(deps, await deps.keys.disable({ actor, reference: referenceOf(params) })));
    },
  }),
  route({
    ...shared,
    paths: ["/api/gw/api-keys/{id}/enable"],
    summary: "Switch an API key on again",
    async handle({ caller, params, connection }) {
      const actor = { caller, address: connection.remoteAddress };
      return json(await keyRecord(deps, await deps.keys.enable({ actor, reference: referenceOf(params) })));
    },
  }),
];
