import { FreshKeyRecord } from "../../contract/keys.ts";
import { json } from "../../http/reply.ts";
import { route } from "../../http/route.ts";
import { KeyPath, referenceOf } from "./key-path.ts";
import { freshKeyRecord, NOT_STORED } from "./key-record.ts";
import type { KeyRouteDeps } from "./key-route-deps.ts";

export const pickUpKey = (deps: KeyRouteDeps) =>
  route({
    method: "POST",
    paths: ["/api/gw/api-keys/{id}/pick-up"],
    tag: "API keys",
    summary: "Pick up the value that a scheduled rotation has made",
    description:
      "It is shown this once, to whoever may rotate the key, and then no longer kept. 409 where none waits: it was picked up, " +
      "or the key was not rotated by schedule since.",
    auth: "session",
    scope: "keys:write",
    params: KeyPath,
    success: FreshKeyRecord,
    errors: ["permission", "not_found", "conflict"],
    async handle({ caller, params, connection }) {
      const actor = { caller, address: connection.remoteAddress };
      const fresh = await deps.keys.pickUp({ actor, reference: referenceOf(params) });
      return json(await freshKeyRecord(deps, fresh), 200, NOT_STORED);
    },
  });
