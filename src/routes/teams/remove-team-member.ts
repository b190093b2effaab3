import type { Teams } from "../../accounts/teams.ts";
import { requiredOf } from "../../contract/either-of.ts";
import { Done, RemoveMemberBody, toUserId } from "../../contract/organizations.ts";
import { json } from "../../http/reply.ts";
import { route } from "../../http/route.ts";

export const removeTeamMember = (teams: Teams) =>
  route({
    method: "POST",
    paths: ["/api/gw/teams/remove-member"],
    tag: "Teams",
    summary: "Take somebody out of a team, or leave it",
    description:
      "`memberId` is the user's id. For administrators of the team or of the organization, and for whoever leaves. The person " +
      "stays in the organization.",
    auth: "session",
    scope: "teams:write",
    body: RemoveMemberBody,
    success: Done,
    errors: ["permission", "not_found"],
    async handle({ caller, body, connection }) {
      await teams.removeMember({
        actor: { caller, address: connection.remoteAddress },
        teamId: requiredOf("teamId", body.teamId, body.team_id),
        userId: toUserId(requiredOf("memberId", body.memberId, body.member_id)),
      });
      return json({ success: true });
    },
  });
