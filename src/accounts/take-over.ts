import { endSignIns } from "./end-sign-ins.ts";
import type { User } from "./records.ts";
import type { AccountStores } from "./store.ts";

/**
 * The owner of an address shows for the first time that it is theirs. An account that nobody has shown to be theirs may have been
 * made by a stranger who waits for them: its password and whatever else lets anybody in, or signs in as the person, ends. Its API
 * keys go on, because they may well be the owner's and at work. To be called with the user held, and as they are then.
 */
export async function takeOver(tx: AccountStores, user: User, now: number): Promise<User> {
  if (user.emailVerifiedAt !== null) return user;
  // Nobody signs up as an administrator, or without a password: such accounts were made by somebody who runs the installation.
  const isStranger = user.role === "user" && user.passwordHash !== null;
  const shown = { emailVerifiedAt: now, passwordHash: isStranger ? null : user.passwordHash, updatedAt: now };
  await tx.users.update(user.id, shown);
  if (isStranger) {
    await endSignIns(tx, user.id, now);
    await tx.twoFactors.remove(user.id);
    await tx.passkeys.removeOf(user.id);
    await tx.managementTokens.removeOf(user.id);
    await tx.identities.removeOf(user.id);
  }
  return { ...user, ...shown };
}
