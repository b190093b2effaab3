import { isEmail } from "../../accounts/new-person.ts";
import type { Passkeys } from "../../accounts/passkeys.ts";
import type { User } from "../../accounts/records.ts";
import type { AccountStores } from "../../accounts/store.ts";
import type { TwoFactor } from "../../accounts/two-factor.ts";
import { isoTime, isoTimeOrNull } from "../../contract/users.ts";

export interface UserViewDeps {
  readonly twoFactor: TwoFactor;
  readonly passkeys: Passkeys;
  readonly stores: Pick<AccountStores, "organizations">;
}

/** Users as administrators see them: field by field, so that a new column is not shown by accident. */
export async function adminUserViews(
  users: readonly User[],
  { twoFactor, passkeys, stores }: UserViewDeps,
): Promise<object[]> {
  const ids = users.map(({ id }) => id);
  const [guarded, counts, memberships] = await Promise.all([
    twoFactor.enabledAmong(ids),
    passkeys.countAmong(ids),
    stores.organizations.namesOf(ids),
  ]);
  return users.map(({ id, externalId, email, name, role, viewer, status, ...times }) => ({
    id,
    externalId,
    email,
    signIn: isEmail(email),
    name,
    role,
    viewer,
    status,
    emailVerified: times.emailVerifiedAt !== null,
    twoFactorEnabled: guarded.has(id),
    passkeys: counts.get(id) ?? 0,
    organizations: memberships
      .filter(({ userId }) => userId === id)
      .map(({ userId: _theirs, ...membership }) => membership),
    createdAt: isoTime(times.createdAt),
    lastLoginAt: isoTimeOrNull(times.lastLoginAt),
  }));
}
