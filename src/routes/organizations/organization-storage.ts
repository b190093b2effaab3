import Type from "typebox";
import { requireOrganization } from "../../accounts/access.ts";
import { asOperator } from "../../accounts/authority.ts";
import { change } from "../../accounts/change.ts";
import type { AccountStores } from "../../accounts/store.ts";
import { OrganizationStorage, StorageQuotaBody } from "../../contract/files/organization-storage.ts";
import type { StorageLimits } from "../../files/storage-limits.ts";
import { json } from "../../http/reply.ts";
import { type Route, route } from "../../http/route.ts";
import type { Clock } from "../../lib/clock.ts";

interface StorageDeps {
  readonly stores: AccountStores;
  readonly storage: StorageLimits;
  readonly clock: Clock;
}

const MIB = 1024 * 1024;
const shared = { params: Type.Object({ id: Type.String() }), success: OrganizationStorage } as const;
const admin = { tag: "Administration", auth: "admin", paths: ["/api/admin/organizations/{id}/storage"] } as const;

/** Operations on the storage of an organization. */
export const organizationStorageRoutes = ({ stores, storage, clock }: StorageDeps): Route[] => [
  route({
    ...shared,
    method: "GET",
    paths: ["/api/gw/organizations/{id}/storage"],
    tag: "Organizations",
    summary: "Show how much an organization stores",
    auth: "session",
    scope: "organization:read",
    errors: ["not_found"],
    async handle({ caller, params }) {
      const { organization } = await requireOrganization(stores, caller, params.id, "viewer");
      return json(await storage.of(organization.id));
    },
  }),
  route({
    ...shared,
    ...admin,
    method: "GET",
    summary: "Show how much an organization stores",
    errors: ["not_found"],
    async handle({ caller, params }) {
      const { organization } = await requireOrganization(stores, asOperator(caller), params.id, "viewer");
      return json(await storage.of(organization.id));
    },
  }),
  route({
    ...shared,
    ...admin,
    method: "PUT",
    summary: "Set the storage quota of an organization",
    description: "It applies from the next request. What is stored already stays.",
    body: StorageQuotaBody,
    errors: ["not_found"],
    async handle({ caller, params, body, connection }) {
      const actor = { caller: asOperator(caller), address: connection.remoteAddress };
      const { organization } = await requireOrganization(stores, actor.caller, params.id, "owner");
      await change(
        stores,
        clock,
        actor,
        (tx) => tx.organizations.putStorageQuota(organization.id, body.quotaMb === null ? null : body.quotaMb * MIB),
        () => ({
          action: "organization.storage_quota",
          organizationId: organization.id,
          targetType: "organization",
          targetId: organization.id,
          details: { quotaMb: body.quotaMb },
        }),
      );
      return json(await storage.of(organization.id));
    },
  }),
];
