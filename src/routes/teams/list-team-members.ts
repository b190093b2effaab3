import Type from "typebox";
import type { Teams } from "../../accounts/teams.ts";
import { MemberRecord } from "../../contract/organizations.ts";
import { cutPage, PagedList, PageQuery, paged, pageOf } from "../../contract/paging.ts";
import { json } from "../../http/reply.ts";
import { route } from "../../http/route.ts";
import { memberRecord } from "../organizations/member-record.ts";

export const listTeamMembers = (teams: Teams) =>
  route({
    method: "GET",
    paths: ["/api/gw/teams/{id}/members"],
    tag: "Teams",
    summary: "List the members of a team",
    auth: "session",
    params: Type.Object({ id: Type.String() }),
    query: PageQuery,
    success: PagedList(MemberRecord),
    errors: ["not_found"],
    async handle({ caller, params, query }) {
      const page = pageOf(query);
      const all = await teams.listMembers({ caller, teamId: params.id });
      return json(paged(cutPage(all, page).map(memberRecord), page, all.length));
    },
  });
