import type { Route } from "../../http/route.ts";
import { activateOrganization } from "./activate-organization.ts";
import { billingAddressPage } from "./billing-address-page.ts";
import { createOrganizationRoute } from "./create-organization.ts";
import { getOrganization } from "./get-organization.ts";
import { listMembers } from "./list-members.ts";
import { listOrganizations } from "./list-organizations.ts";
import type { OrganizationRouteDeps } from "./organization-deps.ts";
import { removeMember } from "./remove-member.ts";
import { updateMember } from "./update-member.ts";
import { updateOrganization } from "./update-organization.ts";

/** Organizations and who is in them. */
export const organizationRoutes = ({ organizations, members, billingAddresses }: OrganizationRouteDeps): Route[] => [
  listOrganizations(organizations),
  createOrganizationRoute(organizations),
  updateOrganization(organizations),
  activateOrganization(organizations),
  getOrganization(organizations),
  listMembers(members),
  updateMember(members),
  removeMember(members),
  ...billingAddressPage(billingAddresses),
];
