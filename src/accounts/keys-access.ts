import { GatewayError } from "../contract/errors.ts";
import { isAtLeast, requireTeam, type TeamAccess } from "./access.ts";
import { type Authority, userIdOf } from "./authority.ts";
import { looksLikeKey } from "./key-format.ts";
import type { ApiKey } from "./records.ts";
import type { AccountStores, KeyWithTeam } from "./store.ts";

export interface KeyAccess extends TeamAccess {
  readonly key: ApiKey;
}

/** The key, if the caller may see its team. Of another's key not even its existence is told: 404, in the same words. */
export async function requireKey(
  stores: AccountStores,
  caller: Authority,
  found: KeyWithTeam | null,
): Promise<KeyAccess> {
  if (!found) throw missingKey();
  const access = await requireTeam(stores, caller, found.team.id).catch((thrown) => {
    throw thrown instanceof GatewayError && thrown.kind === "not_found" ? missingKey() : thrown;
  });
  return { ...access, key: found.key };
}

/** Who may make keys for a team: whoever is in it, and administrators of the organization; never a viewer. */
export const isKeyMaker = ({ role, teamRole }: Pick<TeamAccess, "role" | "teamRole">): boolean =>
  role !== "viewer" && (teamRole !== null || isAtLeast(role, "admin"));

export function requireKeyMaker(access: TeamAccess): void {
  if (isKeyMaker(access)) return;
  throw new GatewayError("permission", "Viewers cannot create keys.");
}

/**
 * Who may call under a key that they name: its maker, and whoever has its value at hand. Others of the team would spend what is
 * their colleague's; to them there is no such key.
 */
export function requireKeyUser(access: KeyAccess, caller: Authority, reference: string): void {
  requireKeyMaker(access);
  if (access.key.createdBy !== userIdOf(caller) && !looksLikeKey(reference)) throw missingKey();
}

/** Who may change a key: its maker, and administrators of the team or of the organization; never a viewer. */
export function requireKeyChange({ role, teamRole, key }: KeyAccess, caller: Authority): void {
  const isMaker = teamRole !== null && key.createdBy === userIdOf(caller);
  if (role !== "viewer" && (isMaker || teamRole === "admin" || isAtLeast(role, "admin"))) return;
  throw new GatewayError("permission", "Only whoever made this key, or an administrator of its team, may change it.");
}

const missingKey = (): GatewayError => new GatewayError("not_found", "There is no such key.");
