import Type from "typebox";
import type { Teams } from "../../accounts/teams.ts";
import { TeamRecord, UpdateTeamBody } from "../../contract/organizations.ts";
import { json } from "../../http/reply.ts";
import { route } from "../../http/route.ts";
import { type TeamSpendingDeps, teamRecord } from "./team-record.ts";
import { teamSettings } from "./team-settings.ts";

export const updateTeam = (teams: Teams, deps: TeamSpendingDeps) =>
  route({
    method: "PATCH",
    paths: ["/api/gw/teams/{id}"],
    tag: "Teams",
    summary: "Change a team",
    description:
      "Administrators of the team or of the organization change its name, tags and metadata; models, aliases, guardrails and limits only " +
      "those of the organization, because they are what it allows the team.",
    auth: "session",
    scope: "teams:write",
    params: Type.Object({ id: Type.String() }),
    body: UpdateTeamBody,
    success: TeamRecord,
    errors: ["invalid_request", "permission", "not_found", "conflict"],
    async handle({ caller, params, body, connection }) {
      const team = await teams.update({
        actor: { caller, address: connection.remoteAddress },
        teamId: params.id,
        changes: { name: body.name, ...teamSettings(body) },
      });
      return json(await teamRecord(deps, team));
    },
  });
