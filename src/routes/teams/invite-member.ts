import Type from "typebox";
import { InvitationRecord, InviteMemberBody, MemberRecord, requiredOf } from "../../contract/organizations.ts";
import { json } from "../../http/reply.ts";
import { route } from "../../http/route.ts";
import { type InvitationDeps, issuedRecord } from "../invitations/invitation-deps.ts";
import { memberRecord } from "../organizations/member-record.ts";

export const inviteMember = (deps: InvitationDeps) =>
  route({
    method: "POST",
    paths: ["/api/gw/teams/invite-member"],
    tag: "Teams",
    summary: "Bring somebody into a team",
    description:
      "For administrators of the team or of the organization, and of the organization alone where it is a viewer, who sees all teams. Who is in the organization joins the team at once, and the answer is " +
      "the member. Everybody else gets an invitation, which is the answer: by mail where that is set up, else as `inviteUrl` to " +
      "hand over. They join when they accept it. To invite somebody again sends a new link.",
    auth: "session",
    scope: "teams:write",
    body: InviteMemberBody,
    success: Type.Union([InvitationRecord, MemberRecord]),
    errors: ["invalid_request", "permission", "not_found", "conflict", "rate_limit"],
    async handle({ caller, body, connection }) {
      const invited = await deps.invitations.invite({
        actor: { caller, address: connection.remoteAddress },
        teamId: requiredOf("teamId", body.teamId, body.team_id),
        email: body.email,
        role: body.role,
      });
      return json(invited.kind === "added" ? memberRecord(invited.person) : issuedRecord(deps, invited.issued));
    },
  });
