import type { User } from "../../accounts/records.ts";
import type { AccountStores } from "../../accounts/store.ts";
import type { TwoFactor } from "../../accounts/two-factor.ts";
import { isoTime, isoTimeOrNull } from "../../contract/users.ts";

export interface UserViewDeps {
  readonly twoFactor: TwoFactor;
  readonly stores: Pick<AccountStores, "organizations">;
}

/** Users as administrators see them: field by field, so that a new column is not shown by accident. */
export async function adminUserViews(users: readonly User[], { twoFactor, stores }: UserViewDeps): Promise<object[]> {
  const [guarded, memberships] = await Promise.all([
    twoFactor.enabledAmong(users.map(({ id }) => id)),
    stores.organizations.namesOf(users.map(({ id }) => id)),
  ]);
  return users.map(({ id, email, name, role, status, emailVerifiedAt, createdAt, lastLoginAt }) => ({
    id,
    email,
    name,
    role,
    status,
    emailVerified: emailVerifiedAt !== null,
    twoFactorEnabled: guarded.has(id),
    organizations: memberships
      .filter(({ userId }) => userId === id)
      .map(({ userId: _theirs, ...membership }) => membership),
    createdAt: isoTime(createdAt),
    lastLoginAt: isoTimeOrNull(lastLoginAt),
  }));
}
