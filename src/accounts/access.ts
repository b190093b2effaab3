import type { SessionCaller } from "../contract/caller.ts";
import { GatewayError } from "../contract/errors.ts";
import type { Organization, OrganizationRole, Team, TeamRole } from "./records.ts";
import type { AccountStores } from "./store.ts";

/** Weaker roles come first. */
const ORDER: readonly OrganizationRole[] = ["viewer", "member", "admin", "owner"];

export const isAtLeast = (role: OrganizationRole, wanted: OrganizationRole): boolean =>
  ORDER.indexOf(role) >= ORDER.indexOf(wanted);

/**
 * The organization, if the caller has the role in it. Of an organization that the caller is no member of nothing is
 * told, not even that it exists: 404.
 */
export async function requireOrganization(
  stores: AccountStores,
  caller: SessionCaller,
  organizationId: string,
  wanted: OrganizationRole,
): Promise<{ readonly organization: Organization; readonly role: OrganizationRole }> {
  const [organization, member] = await Promise.all([
    stores.organizations.find(organizationId),
    stores.organizationMembers.find(organizationId, caller.userId),
  ]);
  if (!organization || !member) throw new GatewayError("not_found", "There is no such organization.");
  if (!isAtLeast(member.role, wanted)) throw forbidden(wanted);
  return { organization, role: member.role };
}

/** The organization that a call works in: the one it names, else the session's, else the first of the caller's. */
export async function activeOrganization(
  stores: AccountStores,
  caller: SessionCaller,
  named: string | null,
  wanted: OrganizationRole,
): Promise<{ readonly organization: Organization; readonly role: OrganizationRole }> {
  const chosen = named ?? caller.organizationId;
  if (chosen !== null) return requireOrganization(stores, caller, chosen, wanted);
  const [first] = await stores.organizations.listOf(caller.userId);
  if (!first) throw new GatewayError("not_found", "You are not a member of any organization.");
  if (!isAtLeast(first.role, wanted)) throw forbidden(wanted);
  return first;
}

export interface TeamAccess {
  readonly team: Team;
  readonly role: OrganizationRole;
  /** Null for who is not in the team itself. */
  readonly teamRole: TeamRole | null;
}

/** The team, if the caller belongs to its organization; else 404. Members see only the teams that they are in. */
export async function requireTeam(stores: AccountStores, caller: SessionCaller, teamId: string): Promise<TeamAccess> {
  const team = await stores.teams.find(teamId);
  const missing = new GatewayError("not_found", "There is no such team.");
  if (!team) throw missing;
  const [member, teamMember] = await Promise.all([
    stores.organizationMembers.find(team.organizationId, caller.userId),
    stores.teamMembers.find(teamId, caller.userId),
  ]);
  if (!member) throw missing;
  if (!teamMember && member.role === "member") throw missing;
  return { team, role: member.role, teamRole: teamMember?.role ?? null };
}

/** Who may manage a team: its own admins, and the organization's; never a viewer of the organization. */
export function requireTeamAdmin({ role, teamRole }: TeamAccess): void {
  if (isAtLeast(role, "admin") || (teamRole === "admin" && role !== "viewer")) return;
  throw new GatewayError("permission", "This needs an administrator of the team or of the organization.");
}

const forbidden = (wanted: OrganizationRole): GatewayError =>
  new GatewayError("permission", `This needs the role ${wanted} in the organization.`);
