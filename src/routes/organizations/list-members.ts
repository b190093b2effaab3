import Type from "typebox";
import type { Members } from "../../accounts/members.ts";
import { MemberRecord } from "../../contract/organizations.ts";
import { cutPage, PagedList, PageQuery, paged, pageOf } from "../../contract/paging.ts";
import { json } from "../../http/reply.ts";
import { route } from "../../http/route.ts";
import { memberRecord } from "./member-record.ts";

export const listMembers = (members: Members) =>
  route({
    method: "GET",
    paths: ["/api/gw/organizations/{id}/members"],
    tag: "Organizations",
    summary: "List the members of an organization",
    auth: "session",
    params: Type.Object({ id: Type.String() }),
    query: PageQuery,
    success: PagedList(MemberRecord),
    errors: ["not_found"],
    async handle({ caller, params, query }) {
      const page = pageOf(query);
      const all = await members.list({ caller, organizationId: params.id });
      return json(paged(cutPage(all, page).map(memberRecord), page, all.length));
    },
  });
