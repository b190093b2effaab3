import type { User } from "../../accounts/records.ts";
import type { TwoFactor } from "../../accounts/two-factor.ts";
import { isoTime, isoTimeOrNull } from "../../contract/users.ts";

/** Users as administrators see them: field by field, so that a new column is not shown by accident. */
export async function adminUserViews(users: readonly User[], twoFactor: TwoFactor): Promise<object[]> {
  const guarded = await twoFactor.enabledAmong(users.map(({ id }) => id));
  return users.map(({ id, email, name, role, status, emailVerifiedAt, createdAt, lastLoginAt }) => ({
    id,
    email,
    name,
    role,
    status,
    emailVerified: emailVerifiedAt !== null,
    twoFactorEnabled: guarded.has(id),
    createdAt: isoTime(createdAt),
    lastLoginAt: isoTimeOrNull(lastLoginAt),
  }));
}
