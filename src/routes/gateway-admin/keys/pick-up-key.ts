import { OneKeyBody } from "../../../contract/gateway-admin/keys.ts";
import { json } from "../../../http/reply.ts";
import { route } from "../../../http/route.ts";
import type { GatewayAdminDeps } from "../admin-deps.ts";
import { actorOf } from "../authority-of.ts";
import { ANY, NOT_STORED } from "../shared.ts";
import { keyRow } from "./key-row.ts";

export const pickUpKey = (deps: GatewayAdminDeps) =>
  route({
    ...ANY,
    method: "POST",
    paths: ["/key/pick_up"],
    tag: "Keys",
    summary: "Pick up the value that a scheduled rotation has made",
    description:
      "`key` of the answer is the new value; it is shown this once, to whoever may regenerate the key. 409 where none waits.",
    body: OneKeyBody,
    errors: ["permission", "not_found", "conflict"],
    async handle({ body, caller, connection }) {
      const fresh = await deps.keys.pickUp({ actor: actorOf({ caller, connection }), reference: body.key });
      const row = await keyRow(deps, fresh);
      return json({ ...row, key: fresh.secret, token_id: row.token }, 200, NOT_STORED);
    },
  });
