import type { Keys } from "../../accounts/keys.ts";
import { requiredOf } from "../../contract/either-of.ts";
import { RemoveKeyBody } from "../../contract/keys.ts";
import { Done } from "../../contract/organizations.ts";
import { json } from "../../http/reply.ts";
import { type Route, route } from "../../http/route.ts";
import { KeyPath, referenceOf } from "./key-path.ts";

const shared = {
  tag: "API keys",
  summary: "Remove an API key",
  description: "It is refused from the very next call on.",
  auth: "session",
  scope: "keys:write",
  success: Done,
  errors: ["permission", "not_found"],
} as const;

export const removeKey = (keys: Keys): Route[] => [
  route({
    ...shared,
    method: "POST",
    paths: ["/api/api-keys/remove"],
    body: RemoveKeyBody,
    async handle({ caller, body, connection }) {
      const reference = requiredOf("apiKey", body.apiKey, body.api_key);
      await keys.remove({ actor: { caller, address: connection.remoteAddress }, reference });
      return json({ success: true });
    },
  }),
  route({
    ...shared,
    method: "DELETE",
    paths: ["/api/gw/api-keys/{id}"],
    params: KeyPath,
    async handle({ caller, params, connection }) {
      await keys.remove({ actor: { caller, address: connection.remoteAddress }, reference: referenceOf(params) });
      return json({ success: true });
    },
  }),
];
