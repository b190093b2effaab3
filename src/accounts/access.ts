import type { SessionCaller } from "../contract/caller.ts";
import { GatewayError } from "../contract/errors.ts";
import type { Authority } from "./authority.ts";
import type { Organization, OrganizationRole, Team, TeamRole } from "./records.ts";
import type { AccountStores } from "./store.ts";

/** Weaker roles come first. */
const ORDER: readonly OrganizationRole[] = ["viewer", "member", "admin", "owner"];

export const isAtLeast = (role: OrganizationRole, wanted: OrganizationRole): boolean =>
  ORDER.indexOf(role) >= ORDER.indexOf(wanted);

/** Somebody who has logged in reaches all that they are a member of, a management token its one organization. */
const reaches = ({ token, organizationId }: SessionCaller, wanted: string): boolean =>
  token === undefined || organizationId === wanted;

/** Those that the caller is a member of, by name. */
export const organizationsOf = async (stores: AccountStores, caller: SessionCaller) =>
  (await stores.organizations.listOf(caller.userId)).filter(({ organization }) => reaches(caller, organization.id));

/**
 * The organization, if the caller has the role in it. Of an organization that the caller is no member of nothing is
 * told, not even that it exists: 404.
 */
export async function requireOrganization(
  stores: AccountStores,
  caller: Authority,
  organizationId: string,
  wanted: OrganizationRole,
): Promise<{ readonly organization: Organization; readonly role: OrganizationRole }> {
  if (caller.kind === "operator") {
    const organization = await stores.organizations.find(organizationId);
    if (!organization) throw missingOrganization();
    return { organization, role: "owner" };
  }
  if (!reaches(caller, organizationId)) throw missingOrganization();
  const [organization, member] = await Promise.all([
    stores.organizations.find(organizationId),
    stores.organizationMembers.find(organizationId, caller.userId),
  ]);
  if (!organization || !member) throw missingOrganization();
  if (!isAtLeast(member.role, wanted)) throw forbidden(wanted);
  return { organization, role: member.role };
}

/** The organization that a call works in: the one it names, else the session's, else the first of the caller's. */
export async function activeOrganization(
  stores: AccountStores,
  caller: Authority,
  named: string | null,
  wanted: OrganizationRole,
): Promise<{ readonly organization: Organization; readonly role: OrganizationRole }> {
  if (named !== null) return requireOrganization(stores, caller, named, wanted);
  if (caller.kind === "operator") {
    throw new GatewayError("invalid_request", "organization_id: name the organization.", { param: "organization_id" });
  }
  if (caller.organizationId !== null) return requireOrganization(stores, caller, caller.organizationId, wanted);
  const [first] = await organizationsOf(stores, caller);
  if (!first)
    throw new GatewayError(
      "not_found",
      "You are not a member of any organization; make one, or have somebody invite you.",
    );
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
export async function requireTeam(stores: AccountStores, caller: Authority, teamId: string): Promise<TeamAccess> {
  const team = await stores.teams.find(teamId);
  const missing = new GatewayError("not_found", "There is no such team.");
  if (!team) throw missing;
  if (caller.kind === "operator") return { team, role: "owner", teamRole: null };
  if (!reaches(caller, team.organizationId)) throw missing;
  const [member, teamMember] = await Promise.all([
    stores.organizationMembers.find(team.organizationId, caller.userId),
    stores.teamMembers.find(teamId, caller.userId),
  ]);
  if (!member) throw missing;
  if (!teamMember && member.role === "member") throw missing;
  return { team, role: member.role, teamRole: teamMember?.role ?? null };
}

/** Who may manage a team: its own admins, and the organization's; never a viewer of the organization. */
export const isTeamAdmin = ({ role, teamRole }: TeamAccess): boolean =>
  isAtLeast(role, "admin") || (teamRole === "admin" && role !== "viewer");

export function requireTeamAdmin(access: TeamAccess): void {
  if (isTeamAdmin(access)) return;
  throw new GatewayError("permission", "This needs an administrator of the team or of the organization.");
}

const missingOrganization = (): GatewayError => new GatewayError("not_found", "There is no such organization.");

const forbidden = (wanted: OrganizationRole): GatewayError =>
  new GatewayError("permission", `This needs the role ${wanted} in the organization.`);
