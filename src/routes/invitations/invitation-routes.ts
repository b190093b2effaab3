import Type from "typebox";
import { AcceptInvitationBody, InvitationPreviewRecord } from "../../contract/invitations.ts";
import { Done, InvitationRecord } from "../../contract/organizations.ts";
import { cutPage, PagedList, PageQuery, paged, pageOf } from "../../contract/paging.ts";
import { sortingOf, sortQuery, sortRows } from "../../contract/sorting.ts";
import { json } from "../../http/reply.ts";
import { type Route, route } from "../../http/route.ts";
import { namedOrganization } from "../organizations/named-organization.ts";
import { type InvitationDeps, issuedRecord } from "./invitation-deps.ts";
import { invitationRecord, previewRecord } from "./invitation-record.ts";

const InvitationId = Type.Object({ id: Type.String() });
const NEWEST_FIRST = { by: "createdAt", direction: "desc" } as const;
const shared = { tag: "Invitations" } as const;

/** Invitations that are under way, and what the people do who get one. */
export const invitationRoutes = (deps: InvitationDeps): Route[] => [
  listInvitations(deps),
  previewInvitation(deps),
  acceptInvitation(deps),
  resendInvitation(deps),
  revokeInvitation(deps),
];

const listInvitations = ({ invitations, clock }: InvitationDeps) =>
  route({
    ...shared,
    method: "GET",
    paths: ["/api/invitations"],
    summary: "List the open invitations of the active organization",
    description: "Administrators of the organization see all, those of a team see the team's, everybody else none.",
    auth: "session",
    scope: "teams:read",
    query: Type.Object({
      ...PageQuery.properties,
      ...sortQuery(["email", "role", "teamName", "createdAt", "expiresAt"], "the newest first"),
    }),
    success: PagedList(InvitationRecord),
    errors: ["not_found"],
    async handle({ caller, query, request }) {
      const page = pageOf(query);
      const found = await invitations.list({ caller, named: namedOrganization(request) });
      const all = found.map((one) => invitationRecord(one, clock.nowMs()));
      const rows = sortRows(all, sortingOf(query, NEWEST_FIRST), (one) => one);
      return json(paged(cutPage(rows, page), page, all.length));
    },
  });

const previewInvitation = ({ invitations }: InvitationDeps) =>
  route({
    ...shared,
    method: "POST",
    paths: ["/api/invitations/preview"],
    summary: "Tell what an invitation's link is for",
    description: "For whoever holds the link; the token is the secret. It stays good.",
    auth: "none",
    body: AcceptInvitationBody,
    success: InvitationPreviewRecord,
    errors: ["not_found", "database"],
    handle: async ({ body }) => json(previewRecord(await invitations.preview(body.token))),
  });

const acceptInvitation = ({ invitations }: InvitationDeps) =>
  route({
    ...shared,
    method: "POST",
    paths: ["/api/invitations/accept"],
    summary: "Accept an invitation",
    description:
      "For somebody who is signed in with the address that was invited. Who has no account signs up with the token as " +
      "`invitationToken`. A token is good once.",
    auth: "session",
    body: AcceptInvitationBody,
    success: InvitationPreviewRecord,
    errors: ["permission", "not_found"],
    async handle({ caller, body, connection }) {
      const actor = { caller, address: connection.remoteAddress };
      return json(previewRecord(await invitations.accept({ actor, token: body.token })));
    },
  });

const resendInvitation = (deps: InvitationDeps) =>
  route({
    ...shared,
    method: "POST",
    paths: ["/api/invitations/{id}/resend"],
    summary: "Send an invitation again, with a new link",
    description: "For administrators of the team or of the organization. Links from before end.",
    auth: "session",
    scope: "teams:write",
    params: InvitationId,
    success: InvitationRecord,
    errors: ["permission", "not_found", "rate_limit"],
    async handle({ caller, params, connection }) {
      const actor = { caller, address: connection.remoteAddress };
      return json(issuedRecord(deps, await deps.invitations.resend({ actor, invitationId: params.id })));
    },
  });

const revokeInvitation = ({ invitations }: InvitationDeps) =>
  route({
    ...shared,
    method: "DELETE",
    paths: ["/api/invitations/{id}"],
    summary: "Take an invitation back",
    description: "For administrators of the team or of the organization. Its link ends.",
    auth: "session",
    scope: "teams:write",
    params: InvitationId,
    success: Done,
    errors: ["permission", "not_found"],
    async handle({ caller, params, connection }) {
      const actor = { caller, address: connection.remoteAddress };
      await invitations.revoke({ actor, invitationId: params.id });
      return json({ success: true });
    },
  });
