import type { Static } from "typebox";
import type { ActorWithRights } from "../../../accounts/change.ts";
import type { OwnerReference } from "../../../accounts/key-owner.ts";
import type { Team } from "../../../accounts/records.ts";
import { GatewayError } from "../../../contract/errors.ts";
import { refuseUnserved } from "../../../contract/gateway-admin/fields.ts";
import { GenerateKeyBody, GenerateServiceKeyBody, UNSERVED_OF_KEYS } from "../../../contract/gateway-admin/keys.ts";
import { json } from "../../../http/reply.ts";
import { type Route, route } from "../../../http/route.ts";
import { newId } from "../../../lib/ids.ts";
import type { GatewayAdminDeps } from "../admin-deps.ts";
import { actorOf } from "../authority-of.ts";
import { ANY, NOT_STORED } from "../shared.ts";
import { keyRow } from "./key-row.ts";
import { keySettings } from "./key-settings.ts";

type Fields = Omit<Static<typeof GenerateKeyBody>, "user_id">;
const shared = {
  ...ANY,
  method: "POST",
  tag: "Keys",
  errors: ["invalid_request", "permission", "not_found", "conflict"],
} as const;

export const generateKey = (deps: GatewayAdminDeps): Route[] => [
  route({
    ...shared,
    paths: ["/key/generate"],
    summary: "Create a key",
    description:
      "`key` of the answer is the whole key; it is shown this once. Without `team_id` the operator's key goes to the operator's " +
      "own organization, and a person's to the first team of theirs. An unknown `user_id` of the operator becomes a user " +
      "without sign-in, unless `general_settings.create_unknown_users` is false.",
    body: GenerateKeyBody,
    async handle({ body, caller, connection }) {
      refuseUnserved(body, UNSERVED_OF_KEYS);
      const owner = body.user_id ?? undefined;
      return json(await makeKey(deps, actorOf({ caller, connection }), body, owner), 200, NOT_STORED);
    },
  }),
  route({
    ...shared,
    paths: ["/key/service-account/generate"],
    summary: "Create a key that is nobody's",
    description: "A key of a team without an owner: it is not the caller's.",
    body: GenerateServiceKeyBody,
    async handle({ body, caller, connection }) {
      refuseUnserved(body, { ...UNSERVED_OF_KEYS, user_id: [] });
      return json(await makeKey(deps, actorOf({ caller, connection }), body, null), 200, NOT_STORED);
    },
  }),
];

/** A key with all that is said of a new one. */
export async function makeKey(deps: GatewayAdminDeps, actor: ActorWithRights, body: Fields, owner: OwnerReference) {
  const team = await teamFor(deps, actor, body);
  const fresh = await deps.keys.create({
    actor,
    teamId: team.id,
    name: body.key_alias ?? `key-${newId()}`,
    settings: keySettings(body, deps.clock.nowMs()),
    value: body.key,
    owner,
    disabled: body.blocked ?? false,
  });
  const row = await keyRow(deps, fresh);
  return { ...row, key: fresh.secret, token_id: row.token };
}

/** The team that is named, else the first of the organization that is named, else the caller's own. */
async function teamFor(
  deps: GatewayAdminDeps,
  actor: ActorWithRights,
  { team_id, organization_id }: Fields,
): Promise<Team> {
  const { caller } = actor;
  if (team_id != null) {
    const { team } = await deps.teams.get({ caller, teamId: team_id });
    if (organization_id == null || team.organizationId === organization_id) return team;
    await deps.organizations.get({ caller, organizationId: organization_id });
    throw new GatewayError("invalid_request", "organization_id: the team belongs to another one.", {
      param: "organization_id",
    });
  }
  if (caller.kind === "operator" && organization_id == null) return deps.operator.defaultTeam(actor);
  const teams = await deps.teams.list({ caller, named: organization_id ?? null });
  const chosen = teams.find(({ team }) => team.name === "Default") ?? teams[0];
  if (!chosen)
    throw new GatewayError("invalid_request", "team_id: there is no team for the key yet.", { param: "team_id" });
  return chosen.team;
}
