import Type from "typebox";
import type { Teams } from "../../accounts/teams.ts";
import { TeamDetails } from "../../contract/organizations.ts";
import { json } from "../../http/reply.ts";
import { route } from "../../http/route.ts";
import { invitationRecord } from "../invitations/invitation-record.ts";
import { type TeamSpendingDeps, teamMemberRecord, teamRecord } from "./team-record.ts";

export const getTeam = (teams: Teams, deps: TeamSpendingDeps) =>
  route({
    method: "GET",
    paths: ["/api/gw/teams/{id}"],
    tag: "Teams",
    summary: "Show a team with its members and open invitations",
    auth: "session",
    scope: "teams:read",
    params: Type.Object({ id: Type.String() }),
    success: TeamDetails,
    errors: ["not_found"],
    async handle({ caller, params }) {
      const found = await teams.get({ caller, teamId: params.id });
      const invitations = found.invitations.map((one) => invitationRecord(one, deps.clock.nowMs()));
      const record = await teamRecord(deps, found);
      return json({ ...record, members: found.members.map(teamMemberRecord), invitations });
    },
  });
