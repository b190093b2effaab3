import { GatewayError } from "../contract/errors.ts";
import { hashLink, newLinkSecret } from "./link-secret.ts";
import type { Invitation, InvitationRole, TeamRole, User } from "./records.ts";
import type { AccountStores, NamedInvitation } from "./store.ts";

export const INVITATION_MS = 7 * 24 * 60 * 60 * 1000;

/** As people see it: one that nobody took up in time is `expired`. */
export type InvitationStatus = Invitation["status"] | "expired";

export const invitationStatus = ({ status, expiresAt }: Invitation, nowMs: number): InvitationStatus =>
  status === "pending" && expiresAt <= nowMs ? "expired" : status;

/** What a viewer of the organization is within the team. */
export const teamRoleOf = (role: InvitationRole): TeamRole => (role === "admin" ? "admin" : "member");

/** A fresh token and what is stored of it, for a link that goes out now. The one before it is good for nothing. */
export function renewLink(now: number, mailed: boolean) {
  const token = newLinkSecret("inv");
  const stored = { tokenHash: hashLink(token), mailedAt: mailed ? now : null, expiresAt: now + INVITATION_MS };
  return { token, stored };
}

/** The invitation that a token opens. Whatever is wrong with the token, the answer is the same. */
export async function requireOpen(stores: AccountStores, token: string, nowMs: number): Promise<NamedInvitation> {
  const found = await stores.invitations.findByHash(hashLink(token));
  if (found && invitationStatus(found.invitation, nowMs) === "pending") return found;
  throw new GatewayError(
    "not_found",
    "This invitation is not good any more: it was used, taken back or replaced, or its time is over. Ask for a new one.",
  );
}

export function requireAddressee({ email }: Invitation, own: string): void {
  if (email === own) return;
  throw new GatewayError("permission", "This invitation is for another e-mail address than yours.");
}

/** The person joins, as far as they have not yet. To be called under the organization's lock. */
export async function claim(tx: AccountStores, invitation: Invitation, user: User, now: number): Promise<void> {
  const { id, organizationId, teamId, role, mailedAt } = invitation;
  if (!(await tx.organizationMembers.find(organizationId, user.id))) {
    const inside = role === "viewer" || user.viewer ? "viewer" : "member";
    await tx.organizationMembers.insert({ organizationId, userId: user.id, role: inside, joinedAt: now });
  }
  if (!(await tx.teamMembers.find(teamId, user.id))) {
    await tx.teamMembers.insert({ teamId, userId: user.id, role: teamRoleOf(role), joinedAt: now });
  }
  await tx.invitations.update(id, {
    status: "accepted",
    tokenHash: null,
    acceptedAt: now,
    acceptedBy: user.id,
    updatedAt: now,
  });
  // Only a token that went by mail shows that the person reads it.
  if (mailedAt !== null && user.emailVerifiedAt === null) {
    await tx.users.update(user.id, { emailVerifiedAt: now, updatedAt: now });
  }
}

/**
 * Who goes does not come back by a link that was sent before; of a team, by one to that team. Gives what the log tells of it.
 * To be called under the organization's lock.
 */
export async function takeBack(
  tx: AccountStores,
  { organizationId, teamId }: { readonly organizationId: string; readonly teamId?: string },
  email: string,
  now: number,
): Promise<{ readonly invitations?: readonly string[] }> {
  const pending = await tx.invitations.listPending(organizationId, now);
  const theirs = pending.filter(
    ({ invitation }) => invitation.email === email && (teamId === undefined || invitation.teamId === teamId),
  );
  const ids = theirs.map(({ invitation }) => invitation.id);
  for (const id of ids) await tx.invitations.update(id, { status: "revoked", tokenHash: null, updatedAt: now });
  return ids.length === 0 ? {} : { invitations: ids };
}

export const invitationNote = (action: string, { id, organizationId, teamId, email, role }: Invitation) => ({
  action,
  organizationId,
  targetType: "invitation",
  targetId: id,
  details: { teamId, email, role },
});
