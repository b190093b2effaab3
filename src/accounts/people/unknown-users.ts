import { GatewayError } from "../../contract/errors.ts";
import { toUserId } from "../../contract/organizations.ts";
import { type ActorWithRights, noteChange } from "../change.ts";
import { insertPerson } from "../new-person.ts";
import type { User } from "../records.ts";
import type { AccountStores } from "../store.ts";

/** A search for one user, in the transaction of the change that needs them. */
export interface UserSearch {
  readonly actor: ActorWithRights;
  readonly now: number;
  /** `general_settings.create_unknown_users`. */
  readonly createsUnknown: boolean;
}

/** Without spaces at the ends and control characters: the id is part of addresses, headers and exports. */
const EXTERNAL_ID = /^(?!\s)[^\p{Cc}\p{Zl}\p{Zp}]{1,254}(?<!\s)$/u;
const DIGITS = /^[0-9]+$/;

/** Checks an id that the operator chose. Digits alone are the server's: a chosen `7` would be the next user's number. */
export function readExternalId(text: string): string {
  if (DIGITS.test(text)) {
    const reason = "ids of digits alone are given out by this server. Choose another id, such as `user-7`.";
    throw new GatewayError("invalid_request", `user_id: ${reason}`, { param: "user_id" });
  }
  if (EXTERNAL_ID.test(text)) return text;
  const reason = "must be 1 to 254 characters, without control characters and without spaces at its ends.";
  throw new GatewayError("invalid_request", `user_id: ${reason}`, { param: "user_id" });
}

/** The user behind an id of the gateway's operations: a chosen id, or the number that the server gave out. */
export async function findUser(
  { users }: Pick<AccountStores, "users">,
  reference: string | number,
): Promise<User | null> {
  if (typeof reference === "number" || DIGITS.test(reference)) return users.find(toUserId(reference));
  return users.findByExternalId(reference);
}

/** The number of that user; 0, which is no user's, if there is none. */
export const findUserId = async (stores: Pick<AccountStores, "users">, reference: string): Promise<number> =>
  DIGITS.test(reference) ? toUserId(reference) : ((await findUser(stores, reference))?.id ?? 0);

/**
 * The active user that the operator names. An unknown id becomes a record without sign-in, so that keys, teams and
 * spend can be by ids of another system.
 */
export async function findOrCreateUser(
  tx: AccountStores,
  search: UserSearch,
  { userId, email = "" }: { readonly userId: string | number; readonly email?: string | undefined },
): Promise<User> {
  const found = await findUser(tx, userId);
  if (found?.status === "active") return found;
  const isChosen = typeof userId === "string" && !DIGITS.test(userId);
  if (found !== null || !isChosen || !search.createsUnknown) throw missing(found, isChosen);
  return createUser(tx, search, { externalId: readExternalId(userId), email });
}

async function createUser(
  tx: AccountStores,
  { actor, now }: UserSearch,
  { externalId, email }: { readonly externalId: string; readonly email: string },
): Promise<User> {
  let user: User;
  try {
    // A savepoint: another request may create the same user at the same moment.
    user = await tx.transaction((inner) => insertPerson(inner, { email, externalId, now }));
  } catch (thrown) {
    const other = thrown instanceof GatewayError && thrown.kind === "conflict";
    const winner = other ? await tx.users.findByExternalId(externalId) : null;
    if (winner?.status === "active") return winner;
    throw thrown;
  }
  await noteChange(tx, { nowMs: () => now }, actor, userCreated(user));
  return user;
}

export const userCreated = ({ id, role, email, externalId }: User) => ({
  action: "user.create",
  organizationId: null,
  targetType: "user",
  targetId: String(id),
  details: { role, ...(externalId === null ? {} : { externalId }), ...(email === "" ? { signIn: false } : {}) },
});

function missing(found: User | null, isChosen: boolean): GatewayError {
  const way = found
    ? "There is a disabled user of this id: enable it with PATCH /api/admin/users/{id}."
    : isChosen
      ? "There is no such user. Create it with POST /user/new, or set `general_settings.create_unknown_users: true`."
      : "There is no such user. This server gives out ids of digits: use the one in the response of POST /user/new.";
  return new GatewayError("not_found", way, { param: "user_id" });
}
