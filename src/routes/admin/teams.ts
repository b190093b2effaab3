import Type from "typebox";
import { asOperator } from "../../accounts/authority.ts";
import type { Teams } from "../../accounts/teams.ts";
import { TeamRecord } from "../../contract/organizations.ts";
import { PagedList, PageQuery, paged, pageOf } from "../../contract/paging.ts";
import { sortingOf, sortQuery } from "../../contract/sorting.ts";
import { json } from "../../http/reply.ts";
import { type Route, route } from "../../http/route.ts";
import { type TeamSpendingDeps, teamRecord, teamRecords } from "../teams/team-record.ts";
import { organizationNames } from "./organization-names.ts";

const Listed = Type.Object({
  ...TeamRecord.properties,
  organizationName: Type.String(),
  budgetId: Type.Union([Type.String(), Type.Null()]),
});

const OLDEST_FIRST = { by: "createdAt", direction: "asc" } as const;

const shared = {
  tag: "Administration",
  auth: "admin",
  method: "POST",
  params: Type.Object({ id: Type.String() }),
  success: TeamRecord,
  errors: ["not_found"],
} as const;

interface AdminTeamDeps extends TeamSpendingDeps {
  readonly teams: Teams;
}

export const adminTeamRoutes = ({ teams, ...deps }: AdminTeamDeps): Route[] => [
  route({
    tag: "Administration",
    auth: "admin",
    method: "GET",
    paths: ["/api/admin/teams"],
    summary: "List the teams of all organizations",
    query: Type.Object({
      ...PageQuery.properties,
      ...sortQuery(["name", "createdAt"], "the oldest first"),
      search: Type.Optional(
        Type.String({ maxLength: 100, pattern: "^[^\\u0000]*$", description: "Part of the name." }),
      ),
      organizationId: Type.Optional(Type.String({ maxLength: 64 })),
    }),
    success: PagedList(Listed),
    errors: ["not_found"],
    async handle({ caller, query }) {
      const page = pageOf(query);
      const order = sortingOf(query, OLDEST_FIRST);
      const filter = { organizationId: query.organizationId || undefined, search: query.search || undefined };
      const { rows, total } = await teams.search({ caller: asOperator(caller), filter, page, order });
      const names = await organizationNames(
        deps.stores,
        rows.map(({ team }) => team.organizationId),
      );
      const records = await teamRecords(deps, rows);
      const listed = records.map((record, at) => ({
        ...record,
        organizationName: names.get(record.organizationId) ?? "",
        budgetId: rows[at]?.team.budgetId ?? null,
      }));
      return json(paged(listed, page, total));
    },
  }),
  route({
    ...shared,
    paths: ["/api/admin/teams/{id}/block"],
    summary: "Block a team",
    description: "Its keys are refused from the very next call on, until it is unblocked here.",
    async handle({ caller, params, connection }) {
      const actor = { caller: asOperator(caller), address: connection.remoteAddress };
      return json(await teamRecord(deps, await teams.block({ actor, teamId: params.id })));
    },
  }),
  route({
    ...shared,
    paths: ["/api/admin/teams/{id}/unblock"],
    summary: "Unblock a team",
    description: "One that its organization's balance blocks stays so until there are credits.",
    async handle({ caller, params, connection }) {
      const actor = { caller: asOperator(caller), address: connection.remoteAddress };
      return json(await teamRecord(deps, await teams.unblock({ actor, teamId: params.id })));
    },
  }),
];
