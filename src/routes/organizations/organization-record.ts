import type { SeenOrganization } from "../../accounts/organizations.ts";
import { quotaRecord } from "../../contract/billing.ts";
import { limitsView } from "../../contract/limits.ts";
import type { OrganizationRecord } from "../../contract/organizations.ts";
import { isoTime } from "../../contract/users.ts";

/** Field by field: what is stored later is not shown by accident. */
export const organizationRecord = (seen: SeenOrganization): OrganizationRecord => {
  const { organization } = seen;
  return {
    id: organization.id,
    name: organization.name,
    slug: organization.slug,
    ownerId: organization.ownerId,
    role: seen.role,
    billingEmail: organization.billingEmail,
    billingEmailVerified: organization.billingEmailVerifiedAt !== null,
    timezone: organization.timezone,
    dataRetentionDays: organization.dataRetentionDays,
    status: seen.status,
    billing: organization.billing,
    models: [...organization.models],
    ...limitsView(organization),
    storePrompts: organization.storePrompts,
    allowedIps: [...organization.allowedIps],
    metadata: { ...organization.metadata },
    membersCount: seen.membersCount,
    teamsCount: seen.teamsCount,
    quota: quotaRecord(seen.quota),
    createdAt: isoTime(organization.createdAt),
    updatedAt: isoTime(organization.updatedAt),
  };
};
