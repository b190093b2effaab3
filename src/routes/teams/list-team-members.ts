import Type from "typebox";
import type { Teams } from "../../accounts/teams.ts";
import { MemberRecord, TeamMemberRecord } from "../../contract/organizations.ts";
import { cutPage, PagedList, PageQuery, paged, pageOf } from "../../contract/paging.ts";
import { json } from "../../http/reply.ts";
import { route } from "../../http/route.ts";
import { MemberSortQuery, sortMembers } from "../organizations/member-order.ts";
import { invitedRecord } from "../organizations/member-record.ts";
import { teamMemberRecord } from "./team-record.ts";

export const listTeamMembers = (teams: Teams) =>
  route({
    method: "GET",
    paths: ["/api/gw/teams/{id}/members"],
    tag: "Teams",
    summary: "List the members of a team",
    description: "Those who may invite also see who is invited.",
    auth: "session",
    scope: "teams:read",
    params: Type.Object({ id: Type.String() }),
    query: Type.Object({ ...PageQuery.properties, ...MemberSortQuery.properties }),
    success: PagedList(Type.Union([TeamMemberRecord, MemberRecord])),
    errors: ["not_found"],
    async handle({ caller, params, query }) {
      const page = pageOf(query);
      const { members, invitations } = await teams.listMembers({ caller, teamId: params.id });
      const invited = invitations.map(({ invitation }) => invitedRecord(invitation));
      const all = [...members.map(teamMemberRecord), ...invited];
      return json(paged(cutPage(sortMembers(all, query), page), page, all.length));
    },
  });
