import Type from "typebox";
import type { Organizations } from "../../accounts/organizations.ts";
import { OrganizationRecord } from "../../contract/organizations.ts";
import { PagedList, PageQuery, paged, pageOf } from "../../contract/paging.ts";
import { sortingOf, sortQuery } from "../../contract/sorting.ts";
import { json } from "../../http/reply.ts";
import { route } from "../../http/route.ts";
import { organizationRecord } from "./organization-record.ts";

const BY_NAME = { by: "name", direction: "asc" } as const;

export const listOrganizations = (organizations: Organizations) =>
  route({
    method: "GET",
    paths: ["/api/gw/organizations/list"],
    tag: "Organizations",
    summary: "List the organizations that one is a member of",
    auth: "session",
    scope: "organization:read",
    query: Type.Object({ ...PageQuery.properties, ...sortQuery(["name", "createdAt"], "by name") }),
    success: PagedList(OrganizationRecord),
    errors: [],
    async handle({ caller, query }) {
      const page = pageOf(query);
      const { rows, total } = await organizations.list({ caller, page, order: sortingOf(query, BY_NAME) });
      return json(paged(rows.map(organizationRecord), page, total));
    },
  });
