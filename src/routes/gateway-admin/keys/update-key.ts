import type { ActorWithRights } from "../../../accounts/change.ts";
import { GatewayError } from "../../../contract/errors.ts";
import {
  ALWAYS_NAMED,
  ALWAYS_THERE,
  refuseNulls,
  refuseUnserved,
  TRUE_OR_FALSE,
} from "../../../contract/gateway-admin/fields.ts";
import {
  BulkUpdateKeysBody,
  UNSERVED_OF_KEYS,
  UpdateKeyBody,
  type UpdateKeyFields,
} from "../../../contract/gateway-admin/keys.ts";
import { json } from "../../../http/reply.ts";
import { type Route, route } from "../../../http/route.ts";
import type { GatewayAdminDeps } from "../admin-deps.ts";
import { actorOf } from "../authority-of.ts";
import { ANY, OPERATORS } from "../shared.ts";
import { keyRow } from "./key-row.ts";
import { keySettings } from "./key-settings.ts";

const shared = { method: "POST", tag: "Keys" } as const;

export const updateKey = (deps: GatewayAdminDeps): Route[] => [
  route({
    ...ANY,
    ...shared,
    paths: ["/key/update"],
    summary: "Change a key and its limits",
    description: "What is left out stays as it is; null empties a field. It holds for the very next call.",
    body: UpdateKeyBody,
    errors: ["invalid_request", "permission", "not_found", "conflict"],
    handle: async ({ body, caller, connection }) => json(await change(deps, actorOf({ caller, connection }), body)),
  }),
  route({
    ...OPERATORS,
    ...shared,
    paths: ["/key/bulk_update"],
    summary: "Change many keys",
    description:
      "Each separately: the response names keys as they were sent, and gives the reason for those that were not changed.",
    body: BulkUpdateKeysBody,
    errors: [],
    async handle({ body, caller, connection }) {
      const actor = actorOf({ caller, connection });
      const successful: object[] = [];
      const failed: object[] = [];
      for (const [index, fields] of body.keys.entries()) {
        try {
          const row = await change(deps, actor, fields);
          successful.push({ key: fields.key, key_info: row });
        } catch (thrown) {
          if (!(thrown instanceof GatewayError) || thrown.kind === "database") throw thrown;
          failed.push({ index, key: fields.key, failed_reason: thrown.message });
        }
      }
      const counts = { total_requested: body.keys.length };
      return json({ ...counts, successful_updates: successful, failed_updates: failed });
    },
  }),
];

async function change(deps: GatewayAdminDeps, actor: ActorWithRights, body: UpdateKeyFields) {
  refuseUnserved(body, UNSERVED_OF_KEYS);
  refuseNulls(body, ["key_alias"], ALWAYS_NAMED);
  refuseNulls(body, ["team_id", "organization_id"], ALWAYS_THERE);
  refuseNulls(body, ["blocked"], TRUE_OR_FALSE);
  const present = await deps.keys.get({ caller: actor.caller, reference: body.key });
  await requireSamePlace(deps, actor, body, present);
  const input = { actor, reference: present.key.id };
  let seen = await deps.keys.update({
    ...input,
    settings: keySettings(body, deps.clock.nowMs(), present.key),
    owner: body.user_id,
  });
  if (body.blocked === true) seen = await deps.keys.disable(input);
  if (body.blocked === false) seen = await deps.keys.enable(input);
  const row = await keyRow(deps, seen);
  return { key: row.token, ...row };
}

/** A key stays where it was made: its calls are in the books of that team. */
async function requireSamePlace(
  deps: GatewayAdminDeps,
  { caller }: ActorWithRights,
  { team_id, organization_id }: UpdateKeyFields,
  { key, organizationId }: { readonly key: { readonly teamId: string }; readonly organizationId: string },
): Promise<void> {
  if (team_id != null && team_id !== key.teamId) {
    await deps.teams.get({ caller, teamId: team_id });
    throw stays("team_id");
  }
  if (organization_id != null && organization_id !== organizationId) {
    await deps.organizations.get({ caller, organizationId: organization_id });
    throw stays("organization_id");
  }
}

const stays = (param: string): GatewayError =>
  new GatewayError("invalid_request", `${param}: a key stays in its team; create another one there.`, { param });
