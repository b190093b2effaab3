import Type from "typebox";
import { eitherOf } from "../../contract/either-of.ts";
import { ApiKeyRecord, KEY_STATUSES } from "../../contract/keys.ts";
import { PagedList, PageQuery, paged, pageOf } from "../../contract/paging.ts";
import { sortingOf, sortQuery } from "../../contract/sorting.ts";
import { json } from "../../http/reply.ts";
import { route } from "../../http/route.ts";
import { namedOrganization } from "../organizations/named-organization.ts";
import { KEY_SORTS, NEWEST_FIRST } from "./key-order.ts";
import { keyRecords } from "./key-record.ts";
import type { KeyRouteDeps } from "./key-route-deps.ts";

const TeamId = Type.String({ maxLength: 64, pattern: "^[^\\u0000]*$" });

export const listKeys = (deps: KeyRouteDeps) =>
  route({
    method: "GET",
    paths: ["/api/api-keys"],
    tag: "API keys",
    summary: "List API keys",
    description: "Those of one team, or of all teams of the active organization that the caller may see.",
    auth: "session",
    scope: "keys:read",
    query: Type.Object({
      ...PageQuery.properties,
      ...sortQuery(KEY_SORTS, "the newest first"),
      search: Type.Optional(
        Type.String({ maxLength: 100, pattern: "^[^\\u0000]*$", description: "Part of the name or of the last four." }),
      ),
      teamId: Type.Optional(TeamId),
      team_id: Type.Optional({ ...TeamId, description: "The same as `teamId`." }),
      status: Type.Optional(Type.Enum(KEY_STATUSES)),
      mine: Type.Optional(Type.Boolean({ description: "Only those that the caller has made." })),
    }),
    success: PagedList(ApiKeyRecord),
    errors: ["not_found"],
    async handle({ caller, query, request }) {
      const page = pageOf(query);
      const { rows, total } = await deps.keys.list({
        caller,
        named: namedOrganization(request),
        teamId: eitherOf(query.teamId, query.team_id) || null,
        query: {
          search: query.search || undefined,
          status: query.status,
          createdBy: query.mine === true ? caller.userId : undefined,
          order: sortingOf(query, NEWEST_FIRST),
        },
        page,
      });
      return json(paged(await keyRecords(deps, rows), page, total));
    },
  });
