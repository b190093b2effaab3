import Type from "typebox";
import type { Teams } from "../../accounts/teams.ts";
import { TeamRecord } from "../../contract/organizations.ts";
import { cutPage, PagedList, PageQuery, paged, pageOf } from "../../contract/paging.ts";
import { sortingOf, sortQuery, sortRows } from "../../contract/sorting.ts";
import { json } from "../../http/reply.ts";
import { route } from "../../http/route.ts";
import { namedOrganization } from "../organizations/named-organization.ts";
import { type TeamSpendingDeps, teamRecords } from "./team-record.ts";

const BY_NAME = { by: "name", direction: "asc" } as const;

export const listTeams = (teams: Teams, deps: TeamSpendingDeps) =>
  route({
    method: "GET",
    paths: ["/api/gw/teams"],
    tag: "Teams",
    summary: "List the teams of the active organization",
    description: "Members see the teams that they are in; viewers, admins and owners see all.",
    auth: "session",
    scope: "teams:read",
    query: Type.Object({ ...PageQuery.properties, ...sortQuery(["name", "createdAt"], "by name") }),
    success: PagedList(TeamRecord),
    errors: ["not_found"],
    async handle({ caller, query, request }) {
      const page = pageOf(query);
      const all = await teams.list({ caller, named: namedOrganization(request) });
      const sorted = sortRows(all, sortingOf(query, BY_NAME), ({ team }) => team);
      return json(paged(await teamRecords(deps, cutPage(sorted, page)), page, all.length));
    },
  });
