import Type from "typebox";
import { asOperator } from "../../accounts/authority.ts";
import type { Teams } from "../../accounts/teams.ts";
import { TeamRecord } from "../../contract/organizations.ts";
import { json } from "../../http/reply.ts";
import { type Route, route } from "../../http/route.ts";
import { teamRecord } from "../teams/team-record.ts";

const shared = {
  tag: "Administration",
  auth: "admin",
  method: "POST",
  params: Type.Object({ id: Type.String() }),
  success: TeamRecord,
  errors: ["not_found"],
} as const;

export const adminTeamRoutes = (teams: Teams): Route[] => [
  route({
    ...shared,
    paths: ["/api/admin/teams/{id}/block"],
    summary: "Block a team",
    description: "Its keys are refused from the very next call on, until it is unblocked here.",
    async handle({ caller, params, connection }) {
      const actor = { caller: asOperator(caller), address: connection.remoteAddress };
      return json(teamRecord(await teams.block({ actor, teamId: params.id })));
    },
  }),
  route({
    ...shared,
    paths: ["/api/admin/teams/{id}/unblock"],
    summary: "Unblock a team",
    description: "One that its organization's balance blocks stays so until there are credits.",
    async handle({ caller, params, connection }) {
      const actor = { caller: asOperator(caller), address: connection.remoteAddress };
      return json(teamRecord(await teams.unblock({ actor, teamId: params.id })));
    },
  }),
];
