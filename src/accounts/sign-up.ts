import { GatewayError } from "../contract/errors.ts";
import type { Clock } from "../lib/clock.ts";
import { change } from "./change.ts";
import { cleanEmail } from "./new-person.ts";
import { newOrganizationRecord } from "./organization-record.ts";
import { checkPassword } from "./password-rules.ts";
import type { Passwords } from "./passwords.ts";
import type { Organization, User } from "./records.ts";
import type { IssuedToken } from "./session-tokens.ts";
import type { Device, Sessions } from "./sessions.ts";
import type { AccountStores } from "./store.ts";
import { newTeamRecord } from "./team-record.ts";

export interface SignUpInput {
  readonly email: string;
  readonly password: string;
  readonly name: string | null;
  readonly organizationName: string | null;
}

export interface SignUpDeps {
  readonly stores: AccountStores;
  readonly passwords: Passwords;
  readonly sessions: Sessions;
  readonly clock: Clock;
  readonly isOpen: () => boolean;
}

/** A new person, with an organization of their own and its first team, all or nothing. */
export async function signUp(
  deps: SignUpDeps,
  input: SignUpInput,
  device: Device,
): Promise<{ readonly user: User; readonly issued: IssuedToken }> {
  if (!deps.isOpen()) throw new GatewayError("permission", "Sign-up is switched off here; ask an administrator.");
  const email = cleanEmail(input.email);
  checkPassword(input.password, email);
  const passwordHash = await deps.passwords.hash(input.password);
  const name = input.name?.trim() || (email.split("@")[0] ?? email);
  const now = deps.clock.nowMs();
  const made = await change(
    deps.stores,
    deps.clock,
    { caller: null, address: device.address },
    async (tx) => {
      const user = await insertUser(tx, { email, name, passwordHash, now });
      const organization = await createOrganization(
        tx,
        user.id,
        input.organizationName?.trim() || `${name}'s organization`,
        now,
      );
      return { user, organization };
    },
    ({ user, organization }) => ({
      action: "user.sign_up",
      organizationId: organization.id,
      targetType: "user",
      targetId: String(user.id),
    }),
  );
  return { user: made.user, issued: await deps.sessions.open(deps.stores, made.user, device) };
}

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
