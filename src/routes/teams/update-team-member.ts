import Type from "typebox";
import type { Teams } from "../../accounts/teams.ts";
import { memberLimitsOf } from "../../contract/limits.ts";
import { TeamMemberRecord, toUserId, UpdateTeamMemberBody } from "../../contract/organizations.ts";
import { json } from "../../http/reply.ts";
import { route } from "../../http/route.ts";
import { teamMemberRecord } from "./team-record.ts";

export const updateTeamMember = (teams: Teams) =>
  route({
    method: "PATCH",
    paths: ["/api/gw/teams/{id}/members/{userId}"],
    tag: "Teams",
    summary: "Change the role or the limits of somebody in a team",
    description:
      "Administrators of the team change the role; what a member may spend, only those of the organization. Null empties a limit.",
    auth: "session",
    scope: "teams:write",
    params: Type.Object({ id: Type.String(), userId: Type.String() }),
    body: UpdateTeamMemberBody,
    success: TeamMemberRecord,
    errors: ["invalid_request", "permission", "not_found"],
    async handle({ caller, params, body, connection }) {
      const limits = memberLimitsOf(body);
      const isLimited = Object.values(limits).some((value) => value !== undefined);
      const person = await teams.updateMember({
        actor: { caller, address: connection.remoteAddress },
        teamId: params.id,
        userId: toUserId(params.userId),
        role: body.role,
        limits: isLimited ? limits : undefined,
      });
      return json(teamMemberRecord(person));
    },
  });
