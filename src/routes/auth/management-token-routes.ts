import Type from "typebox";
import type { ManagementTokens } from "../../accounts/management-tokens.ts";
import type { ManagementToken } from "../../accounts/sign-in-records.ts";
import { eitherOf } from "../../contract/either-of.ts";
import { CreateTokenBody, FreshTokenRecord, ManagementTokenRecord } from "../../contract/management-tokens.ts";
import { Done } from "../../contract/organizations.ts";
import { cutPage, PagedList, PageQuery, paged, pageOf } from "../../contract/paging.ts";
import { isoTime, isoTimeOrNull } from "../../contract/users.ts";
import { json } from "../../http/reply.ts";
import { type Route, route } from "../../http/route.ts";
import { NOT_STORED } from "../keys/key-record.ts";
import { namedOrganization } from "../organizations/named-organization.ts";

/** None names a scope: a token makes no tokens, and ends none. */
const shared = { tag: "Account", auth: "session" } as const;

export const managementTokenRoutes = (tokens: ManagementTokens): Route[] => [
  route({
    ...shared,
    method: "GET",
    paths: ["/api/management-tokens"],
    summary: "List one's own management tokens",
    query: PageQuery,
    success: PagedList(ManagementTokenRecord),
    errors: [],
    async handle({ caller, query }) {
      const page = pageOf(query);
      const all = await tokens.list(caller);
      return json(paged(cutPage(all, page).map(toRecord), page, all.length));
    },
  }),
  route({
    ...shared,
    method: "POST",
    paths: ["/api/management-tokens"],
    summary: "Create a management token",
    description:
      "For programs that manage one organization: it works under `/api` with your role there, for its scopes only, and calls no " +
      "models. It ends when it is removed, and when you leave the organization. `token` of the answer is shown this once.",
    body: CreateTokenBody,
    success: FreshTokenRecord,
    successStatus: 201,
    errors: ["invalid_request", "not_found", "conflict"],
    async handle({ caller, body, request, connection }) {
      const named = eitherOf(body.organizationId, body.organization_id) ?? namedOrganization(request);
      const expiresAt = eitherOf(body.expiresAt, body.expires_at);
      const actor = { caller, address: connection.remoteAddress };
      const { name, scopes } = body;
      const { token, value } = await tokens.create({ actor, name, scopes, named, expiresAt });
      return json({ ...toRecord(token), token: value }, 201, NOT_STORED);
    },
  }),
  route({
    ...shared,
    method: "DELETE",
    paths: ["/api/management-tokens/{id}"],
    summary: "Remove a management token",
    description: "It opens nothing from the next call on.",
    params: Type.Object({ id: Type.String() }),
    success: Done,
    errors: ["not_found"],
    async handle({ caller, params, connection }) {
      await tokens.remove({ caller, address: connection.remoteAddress }, params.id);
      return json({ success: true });
    },
  }),
];

/** Field by field, so that no hash is ever shown by accident. */
const toRecord = (token: ManagementToken): ManagementTokenRecord => ({
  id: token.id,
  name: token.name,
  maskedToken: `mk-...${token.last4}`,
  organizationId: token.organizationId,
  scopes: [...token.scopes],
  expiresAt: isoTimeOrNull(token.expiresAt),
  lastUsedAt: isoTimeOrNull(token.lastUsedAt),
  createdAt: isoTime(token.createdAt),
});
