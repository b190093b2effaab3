import { GatewayError } from "../contract/errors.ts";
import { type LimitSettings, readLimits } from "./limit-settings.ts";
import { insertPerson } from "./new-person.ts";
import { findOrCreateUser, findUser, type UserSearch } from "./people/unknown-users.ts";
import type { NamedTeamMember, RateLimit, SpendLimit, Team, TeamRole, User } from "./records.ts";
import type { AccountStores } from "./store.ts";

/** A user by id, as text as scripts send it, or by email. At least one is there; both are the same user's. */
export interface PersonReference {
  readonly userId?: number | string | undefined;
  readonly email?: string | undefined;
}

/** For users whom the caller may see: the error reveals whose an email is. */
export function requireSame({ email: own }: { readonly email: string }, { email }: PersonReference): void {
  if (email === undefined || email.trim().toLowerCase() === own) return;
  const reason = "user_email: it is not that of `user_id`; name the person by one of them.";
  throw new GatewayError("invalid_request", reason, { param: "user_email" });
}

export type MemberLimits = Pick<LimitSettings, "budget" | "budgetWindow" | "rpmLimit" | "tpmLimit">;

export interface PersonSearch extends UserSearch {
  readonly organizationId: string;
}

/**
 * Finds the user. People find only those of the organization and learn nothing of others. The operator also adds
 * unknown users: by email as an account without a password, by id as a record without sign-in.
 */
export async function findPerson(tx: AccountStores, search: PersonSearch, person: PersonReference): Promise<User> {
  const { userId, email } = person;
  if (userId !== undefined) return findById(tx, search, { userId, email });
  if (email === undefined)
    throw new GatewayError("invalid_request", "member: name the person by `user_id` or `user_email`.");
  const user = await tx.users.findByEmail(email.trim().toLowerCase());
  const isOperator = search.actor.caller.kind === "operator";
  // Others need an invitation to bring people into an organization: these have to agree.
  const mayJoin = user && (isOperator || (await tx.organizationMembers.find(search.organizationId, user.id)) !== null);
  if (mayJoin && user.status === "active") return user;
  if (!user && isOperator) return insertPerson(tx, { email, now: search.now });
  throw new GatewayError("invalid_request", "Nobody of the organization has this e-mail; invite them first.", {
    param: "email",
  });
}

async function findById(
  tx: AccountStores,
  search: PersonSearch,
  { userId, email }: PersonReference & { readonly userId: number | string },
): Promise<User> {
  if (search.actor.caller.kind === "operator") {
    const user = await findOrCreateUser(tx, search, { userId, email });
    requireSame(user, { email });
    return user;
  }
  const found = await findUser(tx, userId);
  const member = found && (await tx.organizationMembers.find(search.organizationId, found.id));
  if (!found || !member || found.status !== "active") {
    throw new GatewayError("not_found", "There is no such user.", { param: "user_id" });
  }
  requireSame(found, { email });
  return found;
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
    await tx.organizationMembers.insert({
      organizationId,
      userId: user.id,
      role: user.viewer ? "viewer" : "member",
      joinedAt: now,
    });
  }
  const set = { ...UNLIMITED, ...memberLimits(limits ?? {}, UNLIMITED) };
  await tx.teamMembers.insert({ teamId, userId: user.id, role, joinedAt: now, ...set });
  const person = {
    userId: user.id,
    externalId: user.externalId,
    email: user.email,
    name: user.name,
    role,
    joinedAt: now,
    ...set,
  };
  return { person, joinedOrganization };
}

const UNLIMITED = { budget: null, budgetWindow: null, rpmLimit: null, tpmLimit: null };

export function memberLimits(settings: MemberLimits, present: SpendLimit): Partial<SpendLimit & RateLimit> {
  const { budget, budgetWindow, rpmLimit, tpmLimit } = settings;
  return readLimits({ budget, budgetWindow, rpmLimit, tpmLimit }, present, undefined);
}
