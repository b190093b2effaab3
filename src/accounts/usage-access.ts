import type { SessionCaller } from "../contract/caller.ts";
import { activeOrganization } from "./access.ts";
import type { Organization } from "./records.ts";
import type { AccountStores } from "./store.ts";

export interface UsageAccess {
  readonly organization: Organization;
  /** The teams whose calls the caller may see; null for all of the organization, those of former teams too. */
  readonly teamIds: readonly string[] | null;
}

/** Members see the calls of their teams; viewers and administrators see the organization's. */
export async function usageAccess(
  stores: AccountStores,
  caller: SessionCaller,
  named: string | null,
): Promise<UsageAccess> {
  const { organization, role } = await activeOrganization(stores, caller, named, "viewer");
  if (role !== "member") return { organization, teamIds: null };
  const teams = await stores.teamMembers.listTeamsOf(organization.id, caller.userId);
  return { organization, teamIds: teams.map(({ teamId }) => teamId) };
}
