import { GatewayError } from "../contract/errors.ts";
import { isAtLeast, type TeamAccess } from "./access.ts";
import { type Authority, noSuchUser, userIdOf } from "./authority.ts";
import { isPlausibleKey } from "./key-format.ts";
import type { KeyVerifier } from "./key-verifier.ts";
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

/** Whose key it will be: the operator names anybody, administrators of the team somebody in it, everybody themselves. */
export async function ownerOf(
  stores: AccountStores,
  authority: Authority,
  { team, role, teamRole }: TeamAccess,
  ownerId: number | null | undefined,
): Promise<number | null> {
  if (ownerId === undefined) return userIdOf(authority);
  if (ownerId === userIdOf(authority)) return ownerId;
  const isAdmin = isAtLeast(role, "admin") || (teamRole === "admin" && role !== "viewer");
  if (!isAdmin) throw new GatewayError("permission", "user_id: you make keys for yourself only.", { param: "user_id" });
  if (ownerId === null) return null;
  const found =
    authority.kind === "operator"
      ? (await stores.users.find(ownerId))?.status === "active"
      : (await stores.teamMembers.find(team.id, ownerId)) !== null;
  if (!found) throw new GatewayError("not_found", noSuchUser(authority), { param: "user_id" });
  return ownerId;
}
