import type { ActorWithRights } from "../../../accounts/change.ts";
import { refuseUnserved } from "../../../contract/gateway-admin/fields.ts";
import {
  AddOrganizationMemberBody,
  RemoveOrganizationMemberBody,
  UNSERVED_OF_ORGANIZATION_MEMBERS,
  UpdateOrganizationMemberBody,
} from "../../../contract/gateway-admin/organizations.ts";
import { json } from "../../../http/reply.ts";
import { type Route, route } from "../../../http/route.ts";
import type { GatewayAdminDeps } from "../admin-deps.ts";
import { actorOf } from "../authority-of.ts";
import { ANY } from "../shared.ts";
import { findMemberId, personOf, userTextsOf } from "../wire-values.ts";
import { organizationMemberRow, organizationRole } from "./organization-row.ts";

const shared = {
  ...ANY,
  tag: "Organizations of the gateway",
  errors: ["invalid_request", "permission", "not_found", "conflict"],
} as const;

export const organizationMembers = (deps: GatewayAdminDeps): Route[] => [
  route({
    ...shared,
    method: "POST",
    paths: ["/organization/member_add"],
    summary: "Add people to an organization",
    description:
      "The operator also adds unknown users: by email as an account without a password, by a new `user_id` as a user " +
      "without sign-in.",
    body: AddOrganizationMemberBody,
    async handle({ body, caller, connection }) {
      refuseUnserved(body, UNSERVED_OF_ORGANIZATION_MEMBERS);
      const actor = actorOf({ caller, connection });
      const { organization_id: organizationId } = body;
      const added = [];
      for (const member of Array.isArray(body.member) ? body.member : [body.member]) {
        const wanted = { actor, organizationId, person: personOf(member), role: organizationRole(member.role) };
        added.push(organizationMemberRow(organizationId, await deps.members.add(wanted)));
      }
      return json({ organization_id: organizationId, updated_organization_memberships: added });
    },
  }),
  route({
    ...shared,
    method: "PATCH",
    paths: ["/organization/member_update"],
    summary: "Change the role of somebody in an organization",
    description: "An owner is shown as `org_admin`; making somebody else of the last one is a 409.",
    body: UpdateOrganizationMemberBody,
    async handle({ body, caller, connection }) {
      refuseUnserved(body, UNSERVED_OF_ORGANIZATION_MEMBERS);
      const actor = actorOf({ caller, connection });
      const { organization_id: organizationId } = body;
      const userId = await memberId(deps, actor, body);
      const role = organizationRole(body.role);
      return json(
        organizationMemberRow(organizationId, await deps.members.setRole({ actor, organizationId, userId, role })),
      );
    },
  }),
  route({
    ...shared,
    method: "DELETE",
    paths: ["/organization/member_delete"],
    summary: "Take somebody out of an organization",
    body: RemoveOrganizationMemberBody,
    async handle({ body, caller, connection }) {
      const actor = actorOf({ caller, connection });
      const userId = await memberId(deps, actor, body);
      await deps.members.remove({ actor, organizationId: body.organization_id, userId });
      const userTextOf = await userTextsOf(deps.stores, [userId]);
      return json({ organization_id: body.organization_id, user_id: userTextOf(userId) });
    },
  }),
];

function memberId(
  deps: GatewayAdminDeps,
  { caller }: ActorWithRights,
  body: { organization_id: string; user_id?: string | null; user_email?: string | null },
): Promise<number> {
  return findMemberId(
    deps.stores,
    body,
    async () => (await deps.members.list({ caller, organizationId: body.organization_id })).members,
  );
}
