import { GatewayError } from "../contract/errors.ts";
import { isAtLeast, requireOrganization } from "./access.ts";
import { type Authority, userIdOf } from "./authority.ts";
import type { ActorWithRights } from "./change.ts";
import { heirOf } from "./heir-of.ts";
import { takeBack } from "./invitation-rules.ts";
import { changeOrganization, type OrganizationServiceDeps } from "./organizations.ts";
import type { NamedMember, Organization, OrganizationRole } from "./records.ts";
import type { AccountStores, NamedInvitation } from "./store.ts";
import { findPerson, type PersonReference } from "./team-people.ts";

export type OrganizationPerson = NamedMember<OrganizationRole>;

export interface OrganizationPeople {
  readonly members: readonly OrganizationPerson[];
  readonly invitations: readonly NamedInvitation[];
}

interface ListInput {
  readonly caller: Authority;
  readonly organizationId: string;
}

interface MemberInput {
  readonly actor: ActorWithRights;
  readonly organizationId: string;
  readonly userId: number;
}

interface AddInput {
  readonly actor: ActorWithRights;
  readonly organizationId: string;
  readonly person: PersonReference;
  readonly role: OrganizationRole;
}

interface MemberDeps extends OrganizationServiceDeps {
  /** `general_settings.create_unknown_users` as it is now. */
  readonly createsUnknownUsers: () => boolean;
}

/** Who is in an organization, and as what. */
export class Members {
  constructor(private readonly deps: MemberDeps) {}

  /** Who is asked to join is shown to administrators. */
  async list({ caller, organizationId }: ListInput): Promise<OrganizationPeople> {
    const { stores, clock } = this.deps;
    const { role } = await requireOrganization(stores, caller, organizationId, "viewer");
    const [members, pending] = await Promise.all([
      stores.organizationMembers.list(organizationId),
      isAtLeast(role, "admin") ? stores.invitations.listPending(organizationId, clock.nowMs()) : [],
    ]);
    return { members, invitations: pending };
  }

  /** Somebody joins the organization, by administrators; as an owner only by an owner. */
  async add({ actor, organizationId, person, role }: AddInput): Promise<OrganizationPerson> {
    const createsUnknown = this.deps.createsUnknownUsers();
    const { member } = await changeOrganization(this.deps, {
      actor,
      organizationId,
      wanted: "admin",
      async work(tx, access, now) {
        if (role === "owner") requireOwner(access.role);
        const user = await findPerson(tx, { actor, createsUnknown, organizationId, now }, person);
        if (await tx.organizationMembers.find(organizationId, user.id)) {
          throw new GatewayError("conflict", "This person is in the organization already.");
        }
        await tx.organizationMembers.insert({ organizationId, userId: user.id, role, joinedAt: now });
        const { id: userId, externalId, email, name } = user;
        return { member: { userId, externalId, email, name, role, joinedAt: now } };
      },
      note: ({ member }) => noteOf("member.add", organizationId, member.userId, { role }),
    });
    return member;
  }

  /** By administrators. Only an owner makes or unmakes owners, and one owner always remains. */
  async setRole({
    actor,
    organizationId,
    userId,
    role,
  }: MemberInput & { role: OrganizationRole }): Promise<OrganizationPerson> {
    const { member } = await changeOrganization(this.deps, {
      actor,
      organizationId,
      wanted: "admin",
      async work(tx, access, now) {
        const members = await tx.organizationMembers.list(organizationId);
        const before = personIn(members, userId);
        if (before.role === role) return { member: before, before };
        if (role === "owner" || before.role === "owner") requireOwner(access.role);
        if (before.role === "owner") await passOwnership(tx, access.organization, members, userId, now);
        await tx.organizationMembers.setRole(organizationId, userId, role);
        return { member: { ...before, role }, before };
      },
      note: ({ before }) =>
        before.role === role ? null : noteOf("member.update", organizationId, userId, { from: before.role, to: role }),
    });
    return member;
  }

  /** By administrators, or by the person who leaves. */
  async remove({ actor, organizationId, userId }: MemberInput): Promise<void> {
    const leaves = userIdOf(actor.caller) === userId;
    const { teamIds } = await changeOrganization(this.deps, {
      actor,
      organizationId,
      wanted: leaves ? "viewer" : "admin",
      async work(tx, access, now) {
        const members = await tx.organizationMembers.list(organizationId);
        const member = personIn(members, userId);
        if (member.role === "owner") {
          requireOwner(access.role);
          await passOwnership(tx, access.organization, members, userId, now);
        }
        const teams = await tx.teamMembers.listTeamsOf(organizationId, userId);
        await tx.organizationMembers.remove(organizationId, userId);
        await leaveInSessions(tx, organizationId, userId, now);
        const taken = await takeBack(tx, { organizationId }, member.email, now);
        const details = { email: member.email, role: member.role, ...taken };
        return { details, teamIds: teams.map(({ teamId }) => teamId) };
      },
      note: ({ details }) => noteOf(leaves ? "member.leave" : "member.remove", organizationId, userId, details),
    });
    // Their keys go on without the limits that they had there.
    for (const teamId of teamIds) this.deps.forgetTeam(teamId);
  }
}

function personIn(members: readonly OrganizationPerson[], userId: number): OrganizationPerson {
  const member = members.find((one) => one.userId === userId);
  if (!member) throw new GatewayError("not_found", "There is no such member.");
  return member;
}

function requireOwner(role: OrganizationRole): void {
  if (role !== "owner") throw new GatewayError("permission", "Only an owner makes or unmakes owners.");
}

/** Another owner must be there, and the organization is in the name of one. */
async function passOwnership(
  tx: AccountStores,
  organization: Organization,
  members: readonly OrganizationPerson[],
  leavingId: number,
  now: number,
): Promise<void> {
  const heir = await heirOf(tx, members, leavingId);
  if (!heir) throw new GatewayError("conflict", "The organization needs an owner; make somebody else an owner first.");
  if (organization.ownerId !== leavingId) return;
  await tx.organizations.update(organization.id, { ownerId: heir.userId, updatedAt: now });
}

/** A session that goes on in an organization that it has lost would be told 404 by every call. */
async function leaveInSessions(tx: AccountStores, organizationId: string, userId: number, now: number): Promise<void> {
  for (const session of await tx.sessions.listOpen(userId, now)) {
    if (session.organizationId === organizationId) await tx.sessions.update(session.id, { organizationId: null });
  }
}

const noteOf = (action: string, organizationId: string, userId: number, details: Record<string, unknown>) => ({
  action,
  organizationId,
  targetType: "member",
  targetId: String(userId),
  details,
});
