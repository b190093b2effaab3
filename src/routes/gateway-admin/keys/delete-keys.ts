import type { Authority } from "../../../accounts/authority.ts";
import { GatewayError } from "../../../contract/errors.ts";
import { DeleteKeysBody } from "../../../contract/gateway-admin/keys.ts";
import { json } from "../../../http/reply.ts";
import { route } from "../../../http/route.ts";
import type { GatewayAdminDeps } from "../admin-deps.ts";
import { actorOf } from "../authority-of.ts";
import { ANY } from "../shared.ts";

export const deleteKeys = (deps: GatewayAdminDeps) =>
  route({
    ...ANY,
    method: "POST",
    paths: ["/key/delete"],
    tag: "Keys",
    summary: "Remove keys",
    description:
      "By themselves, their hashes or their ids, or by their aliases. All are looked up before the first one goes.",
    body: DeleteKeysBody,
    errors: ["invalid_request", "permission", "not_found"],
    async handle({ body, caller, connection }) {
      const actor = actorOf({ caller, connection });
      const found = new Map<string, string>();
      for (const reference of body.keys ?? []) {
        const { key } = await deps.keys.get({ caller: actor.caller, reference });
        found.set(key.id, key.handle);
      }
      for (const alias of body.key_aliases ?? []) {
        const { id, handle } = await byAlias(deps, actor.caller, alias);
        found.set(id, handle);
      }
      if (found.size === 0) {
        throw new GatewayError("invalid_request", "keys: name at least one key, or an alias in `key_aliases`.", {
          param: "keys",
        });
      }
      for (const id of found.keys()) await deps.keys.remove({ actor, reference: id });
      return json({ deleted_keys: [...found.values()] });
    },
  });

/** Two keys may have one name here; which of them is meant nobody can tell. */
async function byAlias({ keys }: GatewayAdminDeps, caller: Authority, name: string) {
  const { rows } = await keys.search({ caller, filter: { name }, page: { page: 1, pageSize: 2 } });
  const [first, second] = rows;
  if (!first) throw new GatewayError("not_found", "There is no such key.");
  if (second) {
    throw new GatewayError("invalid_request", "key_aliases: several keys have this alias; name the key itself.", {
      param: "key_aliases",
    });
  }
  return first.key;
}
