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

export async function requireFreeEmail(tx: AccountStores, email: string): Promise<void> {
  if (!(await tx.users.findByEmail(email))) return;
  throw new GatewayError("conflict", "email: another user has this address already.", { param: "email" });
}

/** As many characters as a name may have. */
const NAME_CHARS_MAX = 100;

type NewPerson = { readonly email: string; readonly now: number } & Partial<Omit<NewUser, "email">>;

/**
 * Inserts a user without a password, who can sign in after setting one, or by single sign-on. An empty email makes a
 * record without sign-in.
 */
export async function insertPerson(tx: AccountStores, { email: given, now, ...more }: NewPerson): Promise<User> {
  const email = given === "" ? "" : cleanEmail(given);
  if (email !== "") await requireFreeEmail(tx, email);
  const externalId = more.externalId ?? null;
  if (externalId !== null && (await tx.users.findByExternalId(externalId))) {
    const reason = "another user has this id. Change that user with POST /user/update.";
    throw new GatewayError("conflict", `user_id: ${reason}`, { param: "user_id" });
  }
  return tx.users.insert({
    externalId,
    name: (email === "" ? externalId : email.split("@")[0])?.slice(0, NAME_CHARS_MAX) ?? email,
    parallelLimit: null,
    role: "user",
    viewer: false,
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
