import { GatewayError } from "../contract/errors.ts";
import type { NewUser, User } from "./records.ts";
import type { AccountStores } from "./store.ts";

/** One address, no spaces; whether mail arrives there only mail can tell. */
const EMAIL = /^[^\s@"<>(),;:\\\p{Cc}]+@[^\s@"<>(),;:\\\p{Cc}]+$/u;

/** What the addresses of removed accounts end in. Nobody has one (RFC 2606), and nobody may take one in advance. */
const REMOVED = "@invalid";

export const removedEmail = (userId: number): string => `removed-${userId}${REMOVED}`;

export const isEmail = (text: string): boolean => EMAIL.test(text) && !text.endsWith(REMOVED);

/** The address as it is stored. */
export function cleanEmail(text: string): string {
  const email = text.trim().toLowerCase();
  if (isEmail(email)) return email;
  throw new GatewayError("invalid_request", "email: this is not an e-mail address.", { param: "email" });
}

type NewPerson = { readonly email: string; readonly now: number } & Partial<Omit<NewUser, "email">>;

/** An account. Without a password nobody logs in to it until one was set, or until single sign-on vouches for them. */
export async function insertPerson(tx: AccountStores, { email: given, now, ...more }: NewPerson): Promise<User> {
  const email = cleanEmail(given);
  if (await tx.users.findByEmail(email)) {
    throw new GatewayError("conflict", "email: somebody has this e-mail already.", { param: "email" });
  }
  return tx.users.insert({
    name: email.split("@")[0] ?? email,
    role: "user",
    status: "active",
    passwordHash: null,
    lastLoginAt: null,
    emailVerifiedAt: null,
    createdAt: now,
    updatedAt: now,
    ...more,
    email,
  });
}
