import Type from "typebox";
import type { ActorWithRights } from "../../../accounts/change.ts";
import { refuseUnserved } from "../../../contract/gateway-admin/fields.ts";
import {
  type RegenerateFields,
  RegenerateKeyBody,
  RegenerateNamedKeyBody,
  UNSERVED_BESIDE_PATH,
  UNSERVED_OF_KEYS,
} from "../../../contract/gateway-admin/keys.ts";
import { json } from "../../../http/reply.ts";
import { type Route, route } from "../../../http/route.ts";
import { referenceOf } from "../../keys/key-path.ts";
import type { GatewayAdminDeps } from "../admin-deps.ts";
import { actorOf } from "../authority-of.ts";
import { ANY, NOT_STORED } from "../shared.ts";
import { keyRow } from "./key-row.ts";
import { graceOf, keySettings } from "./key-settings.ts";

const shared = {
  ...ANY,
  method: "POST",
  tag: "Keys",
  summary: "Give a key a new value",
  errors: ["invalid_request", "permission", "not_found", "conflict"],
} as const;

export const regenerateKey = (deps: GatewayAdminDeps): Route[] => [
  route({
    ...shared,
    paths: ["/key/regenerate"],
    description:
      "`key` of the answer is the new value, shown this once. The one before goes on for the `grace_period`.",
    body: RegenerateKeyBody,
    async handle({ body, caller, connection }) {
      refuseUnserved(body, UNSERVED_OF_KEYS);
      return json(await regenerate(deps, actorOf({ caller, connection }), body.key, body), 200, NOT_STORED);
    },
  }),
  route({
    ...shared,
    paths: ["/key/{key}/regenerate"],
    description: "By the hash or the id. A key itself belongs in no address: send it to `/key/regenerate`.",
    params: Type.Object({ key: Type.String({ maxLength: 512 }) }),
    body: RegenerateNamedKeyBody,
    async handle({ params, body, caller, connection }) {
      refuseUnserved(body, UNSERVED_BESIDE_PATH);
      const actor = actorOf({ caller, connection });
      return json(await regenerate(deps, actor, referenceOf({ id: params.key }), body), 200, NOT_STORED);
    },
  }),
];

async function regenerate(deps: GatewayAdminDeps, actor: ActorWithRights, reference: string, body: RegenerateFields) {
  const { key } = await deps.keys.get({ caller: actor.caller, reference });
  const now = deps.clock.nowMs();
  const fresh = await deps.keys.rotate({
    actor,
    reference,
    value: body.new_key,
    graceSeconds: body.grace_period ? graceOf(body.grace_period, "grace_period") : 0,
    settings: keySettings(body, now, key),
  });
  const row = await keyRow(deps, fresh);
  return { ...row, key: fresh.secret, token_id: row.token };
}
