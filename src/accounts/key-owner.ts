import { GatewayError } from "../contract/errors.ts";
import { isAtLeast, type TeamAccess } from "./access.ts";
import { type Authority, userIdOf } from "./authority.ts";
import { isPlausibleKey } from "./key-format.ts";
import type { KeyVerifier } from "./key-verifier.ts";
import { findOrCreateUser, findUser, type UserSearch } from "./people/unknown-users.ts";
import type { AccountStores } from "./store.ts";

/** Long enough that nobody guesses it, and of characters that any header carries. */
const BROUGHT = /^sk-[\w.~+/=-]{16,400}$/;

/** A value that the operator brings from elsewhere, so that the programs that have it go on. */
export function readSecret(
  value: string,
  authority: Authority,
  verifier: Pick<KeyVerifier, "hash" | "isMaster">,
): string {
  if (authority.kind !== "operator") {
    throw new GatewayError("permission", "key: only the operator may bring a value along; leave it out.", {
      param: "key",
    });
  }
  if (!BROUGHT.test(value) || !isPlausibleKey(value)) {
    throw new GatewayError("invalid_request", "key: it begins with `sk-`, and 16 characters or more follow.", {
      param: "key",
    });
  }
  if (verifier.isMaster(verifier.hash(value))) {
    throw new GatewayError("conflict", "key: this is the master key.", { param: "key" });
  }
  return value;
}

/** A user as the caller names them: a number, or text as scripts send it. Null: no user. Undefined: the caller. */
export type OwnerReference = number | string | null | undefined;

/** Finds the owner of a key: any user for the operator, a member for administrators of the team, else the caller. */
export async function ownerOf(
  stores: AccountStores,
  search: UserSearch,
  { team, role, teamRole }: TeamAccess,
  owner: OwnerReference,
): Promise<number | null> {
  const authority = search.actor.caller;
  if (owner === undefined) return userIdOf(authority);
  const known = owner === null ? null : await findUser(stores, owner);
  if (known !== null && known.id === userIdOf(authority)) return known.id;
  const isAdmin = isAtLeast(role, "admin") || (teamRole === "admin" && role !== "viewer");
  if (!isAdmin) throw new GatewayError("permission", "user_id: you make keys for yourself only.", { param: "user_id" });
  if (owner === null) return null;
  if (authority.kind === "operator") return (await findOrCreateUser(stores, search, { userId: owner })).id;
  if (known && (await stores.teamMembers.find(team.id, known.id)) !== null) return known.id;
  throw new GatewayError("not_found", "There is no such user.", { param: "user_id" });
}
