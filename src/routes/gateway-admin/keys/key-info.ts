import { asOperator } from "../../../accounts/authority.ts";
import type { AdminCaller } from "../../../contract/caller.ts";
import { GatewayError } from "../../../contract/errors.ts";
import { KeyInfoQuery, KeysInfoBody } from "../../../contract/gateway-admin/keys.ts";
import { json } from "../../../http/reply.ts";
import { type Route, route } from "../../../http/route.ts";
import type { GatewayAdminDeps } from "../admin-deps.ts";
import { authorityOf } from "../authority-of.ts";
import { ANY } from "../shared.ts";
import { keyRow, keyRows } from "./key-row.ts";

export const keyInfo = (deps: GatewayAdminDeps): Route[] => [
  route({
    ...ANY,
    method: "GET",
    paths: ["/key/info"],
    tag: "Keys",
    summary: "Show a key",
    description:
      "Without `key` it is the key that the call is made with. A key is shown to itself, and to who may see its team.",
    query: KeyInfoQuery,
    errors: ["invalid_request", "permission", "not_found"],
    async handle({ query, caller }) {
      const { token, ...info } = await keyRow(deps, await seenBy(deps, caller, query.key));
      return json({ key: token, info });
    },
  }),
  route({
    ...ANY,
    method: "POST",
    paths: ["/v2/key/info"],
    tag: "Keys",
    summary: "Show many keys",
    body: KeysInfoBody,
    errors: ["permission", "not_found"],
    async handle({ body, caller }) {
      const seen = await Promise.all(body.keys.map((reference) => seenBy(deps, caller, reference)));
      const rows = await keyRows(deps, seen);
      return json({ key: rows.map(({ token }) => token), info: rows });
    },
  }),
];

function missing(thrown: unknown): null {
  if (thrown instanceof GatewayError && thrown.kind === "not_found") return null;
  throw thrown;
}

async function seenBy({ keys }: GatewayAdminDeps, caller: AdminCaller, reference: string | undefined) {
  if (caller.kind === "key" && !caller.master) {
    // On its own behalf a key sees itself and nothing else; what else there is, it is not told.
    const own = await keys.get({ caller: asOperator(caller), reference: caller.keyId });
    const named =
      reference === undefined ? own : await keys.get({ caller: asOperator(caller), reference }).catch(missing);
    if (named?.key.id === own.key.id) return own;
    throw new GatewayError("permission", "A key of a team sees only itself; use the master key or a session.");
  }
  if (reference === undefined) {
    throw new GatewayError("invalid_request", "key: name the key that is to be shown.", { param: "key" });
  }
  return keys.get({ caller: authorityOf(caller), reference });
}
