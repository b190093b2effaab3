import Type from "typebox";
import type { Members } from "../../accounts/members.ts";
import { MemberRecord } from "../../contract/organizations.ts";
import { cutPage, PagedList, PageQuery, paged, pageOf } from "../../contract/paging.ts";
import { json } from "../../http/reply.ts";
import { route } from "../../http/route.ts";
import { MemberSortQuery, sortMembers } from "./member-order.ts";
import { invitedRecord, memberRecord } from "./member-record.ts";

export const listMembers = (members: Members) =>
  route({
    method: "GET",
    paths: ["/api/gw/organizations/{id}/members"],
    tag: "Organizations",
    summary: "List the members of an organization",
    description: "Administrators also see who is invited, once for each invitation.",
    auth: "session",
    scope: "organization:read",
    params: Type.Object({ id: Type.String() }),
    query: Type.Object({ ...PageQuery.properties, ...MemberSortQuery.properties }),
    success: PagedList(MemberRecord),
    errors: ["not_found"],
    async handle({ caller, params, query }) {
      const page = pageOf(query);
      const people = await members.list({ caller, organizationId: params.id });
      const invited = people.invitations.map(({ invitation }) => invitedRecord(invitation));
      const all = [...people.members.map(memberRecord), ...invited];
      return json(paged(cutPage(sortMembers(all, query), page), page, all.length));
    },
  });
