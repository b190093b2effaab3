import { OneKeyBody } from "../../../contract/gateway-admin/keys.ts";
import { json } from "../../../http/reply.ts";
import { type Route, route } from "../../../http/route.ts";
import type { GatewayAdminDeps } from "../admin-deps.ts";
import { actorOf } from "../authority-of.ts";
import { ANY } from "../shared.ts";
import { keyRow } from "./key-row.ts";

const shared = {
  ...ANY,
  method: "POST",
  tag: "Keys",
  body: OneKeyBody,
  errors: ["permission", "not_found"],
} as const;

export const switchKey = (deps: GatewayAdminDeps): Route[] => [
  route({
    ...shared,
    paths: ["/key/block"],
    summary: "Switch a key off",
    description: "It is refused from the very next call on.",
    async handle({ body, caller, connection }) {
      const seen = await deps.keys.disable({ actor: actorOf({ caller, connection }), reference: body.key });
      return json(await keyRow(deps, seen));
    },
  }),
  route({
    ...shared,
    paths: ["/key/unblock"],
    summary: "Switch a key on again",
    async handle({ body, caller, connection }) {
      const seen = await deps.keys.enable({ actor: actorOf({ caller, connection }), reference: body.key });
      return json(await keyRow(deps, seen));
    },
  }),
  route({
    method: "POST",
    paths: ["/key/health"],
    tag: "Keys",
    summary: "Whether the key of this call is good",
    description: "One that is not gets no further than 401 or 403.",
    auth: "key",
    success: shared.success,
    errors: ["permission", "team_blocked", "rate_limit"],
    handle: () => json({ key: "healthy", logging_callbacks: null }),
  }),
];
