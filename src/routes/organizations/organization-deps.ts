import type { Members } from "../../accounts/members.ts";
import type { Organizations } from "../../accounts/organizations.ts";

export interface OrganizationRouteDeps {
  readonly organizations: Organizations;
  readonly members: Members;
}
