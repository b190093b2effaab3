import Type from "typebox";
import type { Teams } from "../../accounts/teams.ts";
import { TeamDetails } from "../../contract/organizations.ts";
import { json } from "../../http/reply.ts";
import { route } from "../../http/route.ts";
import type { Clock } from "../../lib/clock.ts";
import { invitationRecord } from "../invitations/invitation-record.ts";
import { teamMemberRecord, teamRecord } from "./team-record.ts";

export const getTeam = (teams: Teams, clock: Clock) =>
  route({
    method: "GET",
    paths: ["/api/gw/teams/{id}"],
    tag: "Teams",
    summary: "Show a team with its members and open invitations",
    auth: "session",
    params: Type.Object({ id: Type.String() }),
    success: TeamDetails,
    errors: ["not_found"],
    async handle({ caller, params }) {
      const found = await teams.get({ caller, teamId: params.id });
      const invitations = found.invitations.map((one) => invitationRecord(one, clock.nowMs()));
      return json({ ...teamRecord(found), members: found.members.map(teamMemberRecord), invitations });
    },
  });
