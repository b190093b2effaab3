import { organizationsOf, requireOrganization, requireTeam } from "./access.ts";
import { type Authority, userIdOf } from "./authority.ts";
import type { Organization, OrganizationRole } from "./records.ts";
import type { AccountStores } from "./store.ts";

interface Access {
  readonly organization: Organization;
  readonly role: OrganizationRole;
}

/** Of one organization: members see the teams that they are in, everybody else sees all. */
export async function visibleTeamsOf(
  stores: AccountStores,
  authority: Authority,
  { organization, role }: Access,
): Promise<readonly string[]> {
  if (role !== "member") return (await stores.teams.list(organization.id)).map(({ team }) => team.id);
  const own = await stores.teamMembers.listTeamsOf(organization.id, userIdOf(authority) ?? 0);
  return own.map(({ teamId }) => teamId);
}

/** Of one team, one organization, or of all organizations that the caller is in. Null: the operator sees every team. */
export async function visibleTeams(
  stores: AccountStores,
  authority: Authority,
  { teamId, organizationId }: { readonly teamId?: string | undefined; readonly organizationId?: string | undefined },
): Promise<readonly string[] | null> {
  if (teamId !== undefined) {
    const { team } = await requireTeam(stores, authority, teamId);
    if (organizationId !== undefined) await requireOrganization(stores, authority, organizationId, "viewer");
    return organizationId === undefined || team.organizationId === organizationId ? [team.id] : [];
  }
  if (organizationId !== undefined) {
    const access = await requireOrganization(stores, authority, organizationId, "viewer");
    return visibleTeamsOf(stores, authority, access);
  }
  if (authority.kind === "operator") return null;
  const all = await organizationsOf(stores, authority);
  return (await Promise.all(all.map((access) => visibleTeamsOf(stores, authority, access)))).flat();
}
