import type { SessionCaller } from "../contract/caller.ts";
import { badToken } from "./session-tokens.ts";
import type { AccountStores } from "./store.ts";

/**
 * Whoever is logged in as this person, or was about to be, is so no longer: sessions, programs that were approved and have not
 * fetched their token yet, apps that have not fetched their key yet, and links for a new password.
 */
export async function endSignIns(
  tx: AccountStores,
  userId: number,
  now: number,
  { except }: { readonly except?: string } = {},
): Promise<void> {
  await tx.deviceLogins.removeApproved(userId);
  await tx.connectGrants.removeOpen(userId);
  await tx.linkTokens.removeOf(userId, "password_reset");
  await tx.sessions.revoke(userId, except === undefined ? {} : { except }, now);
}

/** Holds back every other change of how this person signs in until the transaction ends. */
export const lockUser = (tx: AccountStores, userId: number, now: number): Promise<void> =>
  tx.users.update(userId, { updatedAt: now });

/** The same, for a new way in that somebody makes: whoever was logged out meanwhile leaves none behind. */
export async function lockSignedIn(
  tx: AccountStores,
  { userId, sessionId }: SessionCaller,
  now: number,
): Promise<void> {
  await lockUser(tx, userId, now);
  const session = await tx.sessions.find(sessionId);
  if (!session || session.revokedAt !== null) throw badToken();
}
