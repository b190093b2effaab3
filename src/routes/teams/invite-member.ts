import type { Teams } from "../../accounts/teams.ts";
import { InviteMemberBody, MemberRecord, requiredOf } from "../../contract/organizations.ts";
import { json } from "../../http/reply.ts";
import { route } from "../../http/route.ts";
import { memberRecord } from "../organizations/member-record.ts";

export const inviteMember = (teams: Teams) =>
  route({
    method: "POST",
    paths: ["/api/gw/teams/invite-member"],
    tag: "Teams",
    summary: "Add somebody to a team",
    description:
      "For administrators of the team or of the organization. Whoever is not in the organization yet joins it as a member. " +
      "The e-mail must be one that somebody has signed up with.",
    auth: "session",
    body: InviteMemberBody,
    success: MemberRecord,
    errors: ["invalid_request", "permission", "not_found", "conflict"],
    async handle({ caller, body, connection }) {
      const person = await teams.addMember({
        actor: { caller, address: connection.remoteAddress },
        teamId: requiredOf("teamId", body.teamId, body.team_id),
        email: body.email,
        role: body.role,
      });
      return json(memberRecord(person));
    },
  });
