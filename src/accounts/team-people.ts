import { GatewayError } from "../contract/errors.ts";
import { type Authority, noSuchUser } from "./authority.ts";
import { type LimitSettings, readLimits } from "./limit-settings.ts";
import { insertPerson } from "./new-person.ts";
import type { NamedTeamMember, RateLimit, SpendLimit, Team, TeamRole, User } from "./records.ts";
import type { AccountStores } from "./store.ts";

/** Somebody by their id or by their e-mail; one of the two is there, and where both are, both are theirs. */
export interface PersonReference {
  readonly userId?: number | undefined;
  readonly email?: string | undefined;
}

interface Named {
  readonly userId: number;
  readonly email: string;
}

export const isWhom = (one: Named, { userId, email }: PersonReference): boolean =>
  userId === undefined ? one.email === email?.trim().toLowerCase() : one.userId === userId;

/** To be asked of somebody whom the caller may see: it tells whose an e-mail is. */
export function requireSame({ email: own }: Pick<Named, "email">, { email }: PersonReference): void {
  if (email === undefined || email.trim().toLowerCase() === own) return;
  const reason = "user_email: it is not that of `user_id`; name the person by one of them.";
  throw new GatewayError("invalid_request", reason, { param: "user_email" });
}

export type MemberLimits = Pick<LimitSettings, "budget" | "budgetWindow" | "rpmLimit" | "tpmLimit">;

/**
 * The person who is meant. People find only those of the organization: of others they are told nothing. The operator
 * adds people who have no account yet; they get one without a password.
 */
export async function findPerson(
  tx: AccountStores,
  authority: Authority,
  organizationId: string,
  { userId, email }: PersonReference,
  now: number,
): Promise<User> {
  if (userId !== undefined) {
    const isInside =
      authority.kind === "operator" || (await tx.organizationMembers.find(organizationId, userId)) !== null;
    const user = isInside ? await tx.users.find(userId) : null;
    if (user?.status === "active") {
      requireSame(user, { email });
      return user;
    }
    throw new GatewayError("not_found", noSuchUser(authority), { param: "user_id" });
  }
  if (email === undefined)
    throw new GatewayError("invalid_request", "member: name the person by `user_id` or `user_email`.");
  const user = await tx.users.findByEmail(email.trim().toLowerCase());
  const isOperator = authority.kind === "operator";
  // Nobody else puts people into an organization who have not agreed to it: that takes an invitation.
  const mayJoin = user && (isOperator || (await tx.organizationMembers.find(organizationId, user.id)) !== null);
  if (mayJoin && user.status === "active") return user;
  if (!user && isOperator) return insertPerson(tx, { email, now });
  throw new GatewayError("invalid_request", "Nobody of the organization has this e-mail; invite them first.", {
    param: "email",
  });
}

/** Into the team, and into the organization as a member where they are not in it yet. */
export async function joinTeam(
  tx: AccountStores,
  { id: teamId, organizationId }: Team,
  user: User,
  { role, limits, now }: { readonly role: TeamRole; readonly limits?: MemberLimits | undefined; readonly now: number },
): Promise<{ readonly person: NamedTeamMember; readonly joinedOrganization: boolean }> {
  if (await tx.teamMembers.find(teamId, user.id)) {
    throw new GatewayError("conflict", "This person is in the team already.");
  }
  const joinedOrganization = (await tx.organizationMembers.find(organizationId, user.id)) === null;
  if (joinedOrganization) {
    await tx.organizationMembers.insert({ organizationId, userId: user.id, role: "member", joinedAt: now });
  }
  const set = { ...UNLIMITED, ...memberLimits(limits ?? {}, UNLIMITED) };
  await tx.teamMembers.insert({ teamId, userId: user.id, role, joinedAt: now, ...set });
  const person = { userId: user.id, email: user.email, name: user.name, role, joinedAt: now, ...set };
  return { person, joinedOrganization };
}

const UNLIMITED = { budget: null, budgetWindow: null, rpmLimit: null, tpmLimit: null };

export function memberLimits(settings: MemberLimits, present: SpendLimit): Partial<SpendLimit & RateLimit> {
  const { budget, budgetWindow, rpmLimit, tpmLimit } = settings;
  return readLimits({ budget, budgetWindow, rpmLimit, tpmLimit }, present, undefined);
}
