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
    Promise.all(users.map(({ id }) => stores.organizations.listOf(id))),
  ]);
  return users.map(({ id, email, name, role, status, emailVerifiedAt, createdAt, lastLoginAt }, at) => ({
    id,
    email,
    name,
    role,
    status,
    emailVerified: emailVerifiedAt !== null,
    twoFactorEnabled: guarded.has(id),
    organizations: (memberships[at] ?? []).map((member) => ({
      id: member.organization.id,
      name: member.organization.name,
      role: member.role,
    })),
    createdAt: isoTime(createdAt),
    lastLoginAt: isoTimeOrNull(lastLoginAt),
  }));
}
