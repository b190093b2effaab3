import type { Teams } from "../../accounts/teams.ts";
import { TeamRecord } from "../../contract/organizations.ts";
import { cutPage, PagedList, PageQuery, paged, pageOf } from "../../contract/paging.ts";
import { json } from "../../http/reply.ts";
import { route } from "../../http/route.ts";
import { namedOrganization } from "../organizations/named-organization.ts";
import { type TeamSpendingDeps, teamRecords } from "./team-record.ts";

export const listTeams = (teams: Teams, deps: TeamSpendingDeps) =>
  route({
    method: "GET",
    paths: ["/api/gw/teams"],
    tag: "Teams",
    summary: "List the teams of the active organization",
    description: "Members see the teams that they are in; viewers, admins and owners see all.",
    auth: "session",
    scope: "teams:read",
    query: PageQuery,
    success: PagedList(TeamRecord),
    errors: ["not_found"],
    async handle({ caller, query, request }) {
      const page = pageOf(query);
      const all = await teams.list({ caller, named: namedOrganization(request) });
      return json(paged(await teamRecords(deps, cutPage(all, page)), page, all.length));
    },
  });
