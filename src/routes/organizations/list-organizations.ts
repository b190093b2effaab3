import type { Organizations } from "../../accounts/organizations.ts";
import { OrganizationRecord } from "../../contract/organizations.ts";
import { PagedList, PageQuery, paged, pageOf } from "../../contract/paging.ts";
import { json } from "../../http/reply.ts";
import { route } from "../../http/route.ts";
import { organizationRecord } from "./organization-record.ts";

export const listOrganizations = (organizations: Organizations) =>
  route({
    method: "GET",
    paths: ["/api/gw/organizations/list"],
    tag: "Organizations",
    summary: "List the organizations that one is a member of",
    auth: "session",
    scope: "organization:read",
    query: PageQuery,
    success: PagedList(OrganizationRecord),
    errors: [],
    async handle({ caller, query }) {
      const page = pageOf(query);
      const { rows, total } = await organizations.list({ caller, page });
      return json(paged(rows.map(organizationRecord), page, total));
    },
  });
