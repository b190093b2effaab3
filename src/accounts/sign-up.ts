import { GatewayError } from "../contract/errors.ts";
import type { Clock } from "../lib/clock.ts";
import { type Actor, change } from "./change.ts";
import { cleanName } from "./clean-name.ts";
import { giveFirstCredit } from "./credits.ts";
import type { EmailVerification } from "./email-verification.ts";
import { claim, invitationNote, requireAddressee, requireOpen } from "./invitation-rules.ts";
import { lockOrganization } from "./lock-organization.ts";
import { cleanEmail } from "./new-person.ts";
import { newOrganizationRecord } from "./organization-record.ts";
import { checkPassword } from "./password-rules.ts";
import type { Passwords } from "./passwords.ts";
import type { Invitation, Organization, User } from "./records.ts";
import type { IssuedToken } from "./session-tokens.ts";
import type { Device, Sessions } from "./sessions.ts";
import type { SignUpThrottle } from "./sign-up-throttle.ts";
import type { AccountStores } from "./store.ts";
import { newTeamRecord } from "./team-record.ts";

export interface SignUpInput {
  readonly email: string;
  readonly password: string;
  readonly name: string | null;
  readonly organizationName: string | null;
  readonly invitationToken: string | null;
}

export interface SignUpDeps {
  readonly stores: AccountStores;
  readonly passwords: Passwords;
  readonly sessions: Sessions;
  readonly clock: Clock;
  readonly isOpen: () => boolean;
  readonly verification: EmailVerification;
  /** What a new organization begins with, in nano-USD. */
  readonly credit: () => bigint;
  readonly throttle: SignUpThrottle;
}

/**
 * A new person, with an organization of their own and its first team, all or nothing. Who comes by an invitation joins the
 * organization that sent it, even where nobody else may sign up, and gets one of their own only if they name it.
 */
export async function signUp(
  deps: SignUpDeps,
  input: SignUpInput,
  device: Device,
): Promise<{ readonly user: User; readonly issued: IssuedToken }> {
  const { invitationToken } = input;
  if (invitationToken === null && !deps.isOpen()) {
    throw new GatewayError("permission", "Sign-up is switched off here; ask an administrator.");
  }
  const email = cleanEmail(input.email);
  if (invitationToken !== null) {
    const { invitation } = await requireOpen(deps.stores, invitationToken, deps.clock.nowMs());
    requireAddressee(invitation, email);
  }
  checkPassword(input.password, email);
  const name = input.name === null ? (email.split("@")[0] ?? email) : cleanName(input.name);
  const ownName = ownNameOf(input, name);
  // Who joins others was asked for by name. Who gets an organization with credit counts: anybody can invite themselves.
  if (ownName !== null) deps.throttle.admit(device.address);
  const passwordHash = await deps.passwords.hash(input.password);
  const actor = { caller: null, address: device.address };
  const made = await change(
    deps.stores,
    deps.clock,
    actor,
    async (tx) => {
      const now = deps.clock.nowMs();
      const invited = invitationToken === null ? null : await lockInvitation(tx, invitationToken, email, now);
      const user = await insertUser(tx, { email, name, passwordHash, now });
      if (invited) await acceptBySignUp(tx, deps.clock, actor, invited, user);
      // A link that went by mail has shown it already.
      if (!invited?.mailedAt) await deps.verification.begin(tx, user, now);
      const own = ownName === null ? null : await createOrganization(tx, user.id, ownName, now);
      if (own) await giveFirstCredit(tx, own.id, deps.credit(), { at: now, reason: "Sign-up credit" });
      return { user, organizationId: own?.id ?? invited?.organizationId ?? null };
    },
    ({ user, organizationId }) => ({
      action: "user.sign_up",
      organizationId,
      targetType: "user",
      targetId: String(user.id),
    }),
  );
  return { user: made.user, issued: await deps.sessions.open(deps.stores, made.user, device, null) };
}

/** Null for who joins another one. */
function ownNameOf({ organizationName, invitationToken }: SignUpInput, name: string): string | null {
  if (organizationName !== null) return cleanName(organizationName, "organizationName");
  return invitationToken === null ? `${name}'s organization` : null;
}

/** The organization is locked before the token is looked at again: of two who use it, the second finds it used. */
async function lockInvitation(tx: AccountStores, token: string, email: string, now: number): Promise<Invitation> {
  const seen = await requireOpen(tx, token, now);
  await lockOrganization(tx, seen.invitation.organizationId, now);
  const { invitation } = await requireOpen(tx, token, now);
  requireAddressee(invitation, email);
  return invitation;
}

const acceptBySignUp = (tx: AccountStores, clock: Clock, actor: Actor, invitation: Invitation, user: User) =>
  change(
    tx,
    clock,
    actor,
    (inner) => claim(inner, invitation, user, clock.nowMs()),
    () => {
      const note = invitationNote("invitation.accept", invitation);
      return { ...note, details: { ...note.details, userId: user.id } };
    },
  );

async function insertUser(
  tx: AccountStores,
  { email, name, passwordHash, now }: { email: string; name: string; passwordHash: string; now: number },
): Promise<User> {
  try {
    return await tx.users.insert({
      email,
      name,
      role: "user",
      status: "active",
      passwordHash,
      emailVerifiedAt: null,
      lastLoginAt: now,
      createdAt: now,
      updatedAt: now,
    });
  } catch (thrown) {
    if (!(thrown instanceof GatewayError) || thrown.kind !== "conflict") throw thrown;
    throw new GatewayError("conflict", "email: somebody has signed up with it already; log in instead.");
  }
}

/** An organization with its owner and the team "Default", which the owner runs. */
export async function createOrganization(
  tx: AccountStores,
  ownerId: number,
  name: string,
  now: number,
  given: Partial<Organization> = {},
): Promise<Organization> {
  const organization = { ...newOrganizationRecord(ownerId, name, now), ...given };
  await tx.organizations.insert(organization);
  await tx.organizationMembers.insert({
    organizationId: organization.id,
    userId: ownerId,
    role: "owner",
    joinedAt: now,
  });
  const team = newTeamRecord(organization.id, "Default", now);
  await tx.teams.insert(team);
  await tx.teamMembers.insert({ teamId: team.id, userId: ownerId, role: "admin", joinedAt: now });
  return organization;
}
