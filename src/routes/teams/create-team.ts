import type { Teams } from "../../accounts/teams.ts";
import { CreateTeamBody, TeamRecord } from "../../contract/organizations.ts";
import { created } from "../../http/reply.ts";
import { route } from "../../http/route.ts";
import { namedOrganization } from "../organizations/named-organization.ts";
import { type TeamSpendingDeps, teamRecord } from "./team-record.ts";
import { teamSettings } from "./team-settings.ts";

export const createTeam = (teams: Teams, deps: TeamSpendingDeps) =>
  route({
    method: "POST",
    paths: ["/api/gw/teams"],
    tag: "Teams",
    summary: "Create a team",
    description:
      "In the organization of the `x-organization-id` header, else in the active one. Needs the role admin or owner there.",
    auth: "session",
    scope: "teams:write",
    body: CreateTeamBody,
    success: TeamRecord,
    successStatus: 201,
    errors: ["invalid_request", "permission", "not_found", "conflict"],
    async handle({ caller, body, request, connection }) {
      const actor = { caller, address: connection.remoteAddress };
      const team = await teams.create({
        actor,
        named: namedOrganization(request),
        name: body.name,
        settings: teamSettings(body),
      });
      return created(await teamRecord(deps, team));
    },
  });
