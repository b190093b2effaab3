import { GatewayError } from "../contract/errors.ts";
import { newId } from "../lib/ids.ts";
import { hashLink, type LinkKind, newLinkSecret } from "./link-secret.ts";
import type { LinkToken, User } from "./records.ts";
import type { AccountStores } from "./store.ts";

export interface IssuedLink {
  readonly token: string;
  readonly expiresAt: number;
}

const HOUR_MS = 60 * 60 * 1000;

/**
 * What links for an account are for, and how long they are good. A link for a new password that goes by mail (`rsm`) shows that
 * its reader has the address; one that an administrator hands over (`rst`) does not.
 */
const KINDS = {
  rst: { purpose: "password_reset", lifeMs: HOUR_MS },
  rsm: { purpose: "password_reset", lifeMs: HOUR_MS },
  vfy: { purpose: "verify_email", lifeMs: 72 * HOUR_MS },
} as const satisfies Partial<Record<LinkKind, { purpose: LinkToken["purpose"]; lifeMs: number }>>;

export type AccountLinkKind = keyof typeof KINDS;

/** A link for one account and one purpose; the one before it ends. */
export async function issueLink(
  tx: AccountStores,
  { id: userId, email }: User,
  kind: AccountLinkKind,
  now: number,
): Promise<IssuedLink> {
  const { purpose, lifeMs } = KINDS[kind];
  const token = newLinkSecret(kind);
  const expiresAt = now + lifeMs;
  await tx.linkTokens.put({
    id: newId(),
    userId,
    purpose,
    email,
    tokenHash: hashLink(token),
    expiresAt,
    createdAt: now,
  });
  return { token, expiresAt };
}

/** The account that a link opens, while its address is the one that the link was made for. */
export async function requireLink(
  stores: AccountStores,
  token: string,
  purpose: LinkToken["purpose"],
  now: number,
): Promise<{ readonly link: LinkToken; readonly user: User }> {
  const link = await stores.linkTokens.findByHash(hashLink(token));
  if (!link || link.purpose !== purpose || link.expiresAt <= now) throw badLink();
  const user = await stores.users.find(link.userId);
  if (user?.status !== "active" || user.email !== link.email) throw badLink();
  return { link, user };
}

/** Of two who use it at once, one is told that it is used. */
export async function useLink(tx: AccountStores, { id }: LinkToken): Promise<void> {
  if (!(await tx.linkTokens.use(id))) throw badLink();
}

const badLink = (): GatewayError =>
  new GatewayError("not_found", "This link is not good any more: it was used or replaced, or its time is over.");

export const accountNote = (action: string, { id }: Pick<User, "id">) => ({
  action,
  organizationId: null,
  targetType: "user",
  targetId: String(id),
});
