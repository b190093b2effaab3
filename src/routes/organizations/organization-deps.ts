import type { Members } from "../../accounts/members.ts";
import type { BillingAddresses } from "../../accounts/organizations/billing-addresses.ts";
import type { Organizations } from "../../accounts/organizations.ts";

export interface OrganizationRouteDeps {
  readonly organizations: Organizations;
  readonly members: Members;
  readonly billingAddresses: BillingAddresses;
}
