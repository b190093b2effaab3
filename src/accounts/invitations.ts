import type { SessionCaller } from "../contract/caller.ts";
import { GatewayError } from "../contract/errors.ts";
import { newId } from "../lib/ids.ts";
import { activeOrganization, isAtLeast, requireOrganization, requireTeam, requireTeamAdmin } from "./access.ts";
import { change } from "./change.ts";
import { changeTeam } from "./change-team.ts";
import { lockUser } from "./end-sign-ins.ts";
import {
  claim,
  INVITATION_MS,
  invitationNote,
  renewLink,
  requireAddressee,
  requireOpen,
  teamRoleOf,
} from "./invitation-rules.ts";
import type { LetterThrottle } from "./letter-throttle.ts";
import { lockOrganization } from "./lock-organization.ts";
import { cleanEmail } from "./new-person.ts";
import type { OrganizationDeps, PersonActor } from "./organizations.ts";
import type { Invitation, InvitationRole, Organization, Team } from "./records.ts";
import type { AccountStores, NamedInvitation } from "./store.ts";
import { joinTeam } from "./team-people.ts";
import type { TeamPerson } from "./teams.ts";

export interface InvitationDeps extends OrganizationDeps {
  /** Whether links go by mail; else they are told to whoever invites. */
  readonly isMailed: () => boolean;
  readonly throttle: LetterThrottle;
}

/** An invitation with the token of its link, where the link is to be handed over by who asked for it. */
export interface IssuedInvitation extends NamedInvitation {
  readonly token: string | null;
}

export type Invited =
  | { readonly kind: "added"; readonly person: TeamPerson }
  | { readonly kind: "invited"; readonly issued: IssuedInvitation };

/** What somebody who holds a link may know before they take it up. */
export interface InvitationPreview extends NamedInvitation {
  readonly organizationName: string;
  readonly invitedByName: string | null;
  readonly hasAccount: boolean;
}

/** All that a letter says. */
export interface InvitationLetterContent extends NamedInvitation {
  readonly organizationName: string;
  readonly invitedByName: string | null;
  readonly token: string;
}

interface InviteInput {
  readonly actor: PersonActor;
  readonly teamId: string;
  readonly email: string;
  readonly role: InvitationRole;
}

interface OneInput {
  readonly actor: PersonActor;
  readonly invitationId: string;
}

const PENDING_MAX = 50;
const MISSING = "There is no such invitation.";

/** Bringing people in. Who is in the organization joins a team at once; nobody else is put anywhere without accepting. */
export class Invitations {
  constructor(private readonly deps: InvitationDeps) {}

  /** By administrators of the team. To invite somebody again renews their link. */
  async invite({ actor, teamId, email, role }: InviteInput): Promise<Invited> {
    const address = cleanEmail(email);
    return changeTeam<Invited & { readonly team: Team }>(this.deps, {
      actor,
      teamId,
      check: requireTeamAdmin,
      work: async (tx, team, now) => {
        const user = await tx.users.findByEmail(address);
        const isInside =
          user?.status === "active" && (await tx.organizationMembers.find(team.organizationId, user.id)) !== null;
        if (user && isInside) {
          return { kind: "added", team, ...(await joinTeam(tx, team, user, { role: teamRoleOf(role), now })) };
        }
        await requireMayInviteAs(tx, actor, team, role);
        return { kind: "invited", team, issued: await this.issue(tx, { actor, team, address, role, now }) };
      },
      note: (result) =>
        result.kind === "invited"
          ? invitationNote("invitation.create", result.issued.invitation)
          : {
              action: "team.add_member",
              organizationId: result.team.organizationId,
              targetType: "team",
              targetId: teamId,
              details: { userId: result.person.userId, role: result.person.role },
            },
    });
  }

  /** The pending ones: all for administrators of the organization, else those of the teams that the caller runs. */
  async list({ caller, named }: { caller: SessionCaller; named: string | null }): Promise<readonly NamedInvitation[]> {
    const { stores, clock } = this.deps;
    const { organization, role } = await activeOrganization(stores, caller, named, "viewer");
    if (role === "viewer") return [];
    const pending = await stores.invitations.listPending(organization.id, clock.nowMs());
    if (isAtLeast(role, "admin")) return pending;
    const own = await stores.teamMembers.listTeamsOf(organization.id, caller.userId);
    const run = new Set(own.flatMap((member) => (member.role === "admin" ? [member.teamId] : [])));
    return pending.filter(({ invitation }) => run.has(invitation.teamId));
  }

  async resend({ actor, invitationId }: OneInput): Promise<IssuedInvitation> {
    return this.changePending(actor, invitationId, "invitation.resend", async (tx, { invitation, teamName }, now) => {
      await requireMayInviteAs(tx, actor, invitation, invitation.role);
      const link = await this.send(tx, actor, invitation, now);
      await tx.invitations.update(invitation.id, link.stored);
      return { invitation: { ...invitation, ...link.stored }, teamName, token: link.token };
    });
  }

  async revoke({ actor, invitationId }: OneInput): Promise<void> {
    await this.changePending(actor, invitationId, "invitation.revoke", async (tx, found, now) => {
      await tx.invitations.update(invitationId, { status: "revoked", tokenHash: null, updatedAt: now });
      return found;
    });
  }

  async preview(token: string): Promise<InvitationPreview> {
    const { stores, clock } = this.deps;
    const found = await requireOpen(stores, token, clock.nowMs());
    const user = await stores.users.findByEmail(found.invitation.email);
    return { ...(await this.withNames(stores, found)), hasAccount: user?.status === "active" };
  }

  /** By the person whose address it was sent to. */
  async accept({ actor, token }: { actor: PersonActor; token: string }): Promise<InvitationPreview> {
    const { stores, clock } = this.deps;
    const seen = await requireOpen(stores, token, clock.nowMs());
    requireAddressee(seen.invitation, actor.caller.email);
    const accepted = await change(
      stores,
      clock,
      actor,
      async (tx) => {
        const now = clock.nowMs();
        // The person first, as where they are removed from the installation: what they leave there includes this.
        await lockUser(tx, actor.caller.userId, now);
        await lockOrganization(tx, seen.invitation.organizationId, now);
        const found = await requireOpen(tx, token, now);
        const user = await tx.users.find(actor.caller.userId);
        if (!user) throw new GatewayError("not_found", MISSING);
        requireAddressee(found.invitation, user.email);
        await claim(tx, found.invitation, user, now);
        return found;
      },
      ({ invitation }) => invitationNote("invitation.accept", invitation),
    );
    return { ...(await this.withNames(stores, accepted)), hasAccount: true };
  }

  /**
   * The token is made while its letter is written, so that it lies nowhere but in the letter. Null when there is nothing
   * to send any more.
   */
  async prepareLetter(invitationId: string): Promise<InvitationLetterContent | null> {
    const { stores, clock } = this.deps;
    const seen = await stores.invitations.find(invitationId);
    if (!seen) return null;
    const system = { caller: null, address: null };
    const prepared = await change(
      stores,
      clock,
      system,
      async (tx) => {
        const now = clock.nowMs();
        await lockOrganization(tx, seen.invitation.organizationId, now);
        const found = await tx.invitations.find(invitationId);
        // A letter that could not be sent for days is worth sending still: its time begins when it goes out.
        if (found?.invitation.status !== "pending") return null;
        const { token, stored } = renewLink(now, true);
        await tx.invitations.update(invitationId, { ...stored, updatedAt: now });
        return { invitation: { ...found.invitation, ...stored }, teamName: found.teamName, token };
      },
      (made) => (made ? invitationNote("invitation.mail", made.invitation) : null),
    );
    return prepared && { ...(await this.withNames(stores, prepared)), token: prepared.token };
  }

  private async issue(
    tx: AccountStores,
    input: { actor: PersonActor; team: Team; address: string; role: InvitationRole; now: number },
  ): Promise<IssuedInvitation> {
    const { actor, team, address, role, now } = input;
    const pending = await tx.invitations.listPending(team.organizationId, now);
    const before = pending.find(({ invitation }) => invitation.teamId === team.id && invitation.email === address);
    if (!before && pending.length >= PENDING_MAX) {
      throw new GatewayError("conflict", `An organization has at most ${PENDING_MAX} open invitations; revoke some.`);
    }
    const invitation = before?.invitation ?? newInvitation(team, address, now);
    const link = await this.send(tx, actor, invitation, now);
    const made = { ...invitation, ...link.stored, role, invitedBy: actor.caller.userId };
    if (before) await tx.invitations.update(made.id, { ...link.stored, role, invitedBy: made.invitedBy });
    else await tx.invitations.insert(made);
    return { invitation: made, teamName: team.name, token: link.token };
  }

  /** By mail the token is made later; without mail it is made now, for who asked. */
  private async send(tx: AccountStores, { caller }: PersonActor, { id, email }: Invitation, now: number) {
    if (!this.deps.isMailed()) {
      const { token, stored } = renewLink(now, false);
      return { token, stored: { ...stored, updatedAt: now } };
    }
    this.deps.throttle.admitInvitation(email, caller.userId);
    await tx.outbox.insert({ topic: "mail.invitation", payload: { invitationId: id }, createdAt: now });
    const stored = { tokenHash: null, mailedAt: null, expiresAt: now + INVITATION_MS, updatedAt: now };
    return { token: null, stored };
  }

  /** One that is pending, over or not, of a team that the actor runs. Of others not even that they exist is told. */
  private async changePending<T extends NamedInvitation>(
    actor: PersonActor,
    invitationId: string,
    action: string,
    work: (tx: AccountStores, found: NamedInvitation, now: number) => Promise<T>,
  ): Promise<T> {
    const missing = new GatewayError("not_found", MISSING);
    const seen = await this.deps.stores.invitations.find(invitationId);
    if (!seen) throw missing;
    const { teamId } = seen.invitation;
    await requireTeam(this.deps.stores, actor.caller, teamId).catch((thrown) => {
      throw thrown instanceof GatewayError && thrown.kind === "not_found" ? missing : thrown;
    });
    return changeTeam(this.deps, {
      actor,
      teamId,
      check: requireTeamAdmin,
      async work(tx, _, now) {
        const found = await tx.invitations.find(invitationId);
        if (found?.invitation.status !== "pending") throw missing;
        return work(tx, found, now);
      },
      note: ({ invitation }) => invitationNote(action, invitation),
    });
  }

  private async withNames(stores: AccountStores, { invitation, teamName }: NamedInvitation) {
    const [organization, inviter] = await Promise.all([
      stores.organizations.find(invitation.organizationId),
      invitation.invitedBy === null ? null : stores.users.find(invitation.invitedBy),
    ]);
    const organizationName = (organization as Organization).name;
    return { invitation, teamName, organizationName, invitedByName: inviter?.name ?? null };
  }
}

/** A viewer reads what all teams do, which the administrators of one team may not read themselves. */
async function requireMayInviteAs(
  tx: AccountStores,
  { caller }: PersonActor,
  { organizationId }: Pick<Team, "organizationId">,
  role: InvitationRole,
): Promise<void> {
  if (role === "viewer") await requireOrganization(tx, caller, organizationId, "admin");
}

const newInvitation = (team: Team, email: string, now: number): Invitation => ({
  id: newId(),
  organizationId: team.organizationId,
  teamId: team.id,
  email,
  role: "member",
  tokenHash: null,
  status: "pending",
  invitedBy: null,
  mailedAt: null,
  expiresAt: now + INVITATION_MS,
  acceptedAt: null,
  acceptedBy: null,
  createdAt: now,
  updatedAt: now,
});
