import { requireOperator } from "../../../accounts/authority.ts";
import { GatewayError } from "../../../contract/errors.ts";
import {
  ALWAYS_NAMED,
  ALWAYS_THERE,
  refuseNulls,
  refuseUnserved,
  TRUE_OR_FALSE,
} from "../../../contract/gateway-admin/fields.ts";
import {
  DeleteTeamsBody,
  NewTeamBody,
  UNSERVED_OF_TEAMS,
  UpdateTeamFieldsBody,
} from "../../../contract/gateway-admin/teams.ts";
import { json } from "../../../http/reply.ts";
import { type Route, route } from "../../../http/route.ts";
import { newId } from "../../../lib/ids.ts";
import type { GatewayAdminDeps } from "../admin-deps.ts";
import { actorOf } from "../authority-of.ts";
import { ANY } from "../shared.ts";
import { personOf } from "../wire-values.ts";
import { teamChanges } from "./team-changes.ts";
import { teamRole, teamRow } from "./team-row.ts";

const shared = {
  ...ANY,
  method: "POST",
  tag: "Teams of the gateway",
  errors: ["invalid_request", "permission", "not_found", "conflict"],
} as const;

export const writeTeam = (deps: GatewayAdminDeps): Route[] => [
  route({
    ...shared,
    paths: ["/team/new"],
    summary: "Create a team",
    description:
      "Without `organization_id` it is the operator's own organization, or the one that a person's session works in.",
    body: NewTeamBody,
    async handle({ body, caller, connection }) {
      refuseUnserved(body, UNSERVED_OF_TEAMS);
      const actor = actorOf({ caller, connection });
      if (body.blocked) requireOperator(actor.caller, "blocked");
      const isOwn = actor.caller.kind === "operator" && body.organization_id == null;
      const named = isOwn ? (await deps.operator.defaultTeam(actor)).organizationId : (body.organization_id ?? null);
      const made = await deps.teams.create({
        actor,
        named,
        id: body.team_id,
        name: body.team_alias ?? body.team_id ?? `team-${newId()}`,
        settings: teamChanges(body),
        members: (body.members_with_roles ?? []).map((member) => ({
          person: personOf(member),
          role: teamRole(member.role),
        })),
      });
      const team = body.blocked ? await deps.teams.block({ actor, teamId: made.team.id }) : made;
      return json(await teamRow(deps, team));
    },
  }),
  route({
    ...shared,
    paths: ["/team/update"],
    summary: "Change a team and its limits",
    description: "What is left out stays as it is; null empties a field. It holds for the very next call.",
    body: UpdateTeamFieldsBody,
    async handle({ body, caller, connection }) {
      refuseUnserved(body, { ...UNSERVED_OF_TEAMS, members_with_roles: [] });
      refuseNulls(body, ["team_alias"], ALWAYS_NAMED);
      refuseNulls(body, ["organization_id"], ALWAYS_THERE);
      refuseNulls(body, ["blocked"], TRUE_OR_FALSE);
      const actor = actorOf({ caller, connection });
      const { team_id: teamId, organization_id } = body;
      const { team } = await deps.teams.get({ caller: actor.caller, teamId });
      if (organization_id != null && organization_id !== team.organizationId) {
        await deps.organizations.get({ caller: actor.caller, organizationId: organization_id });
        throw new GatewayError("invalid_request", "organization_id: a team stays in its organization.", {
          param: "organization_id",
        });
      }
      if (body.blocked != null) requireOperator(actor.caller, "blocked");
      let after = await deps.teams.update({
        actor,
        teamId,
        changes: { name: body.team_alias ?? undefined, ...teamChanges(body, team) },
      });
      if (body.blocked === true) after = await deps.teams.block({ actor, teamId });
      if (body.blocked === false) after = await deps.teams.unblock({ actor, teamId });
      return json({ team_id: teamId, data: await teamRow(deps, after) });
    },
  }),
  route({
    ...shared,
    paths: ["/team/delete"],
    summary: "Remove teams",
    description: "With their keys and memberships. All are looked up before the first one goes.",
    body: DeleteTeamsBody,
    errors: ["permission", "not_found"],
    async handle({ body, caller, connection }) {
      const actor = actorOf({ caller, connection });
      const ids = [...new Set(body.team_ids)];
      for (const teamId of ids) await deps.teams.get({ caller: actor.caller, teamId });
      for (const teamId of ids) await deps.teams.remove({ actor, teamId });
      return json({ deleted_teams: ids });
    },
  }),
];
