import { organizationsOf } from "../../accounts/access.ts";
import type { Authority } from "../../accounts/authority.ts";
import { findUser } from "../../accounts/people/unknown-users.ts";
import { GatewayError } from "../../contract/errors.ts";
import type { GatewayAdminDeps } from "./admin-deps.ts";

/** The number of a user whom the caller knows: the user, or a member of one of the caller's organizations; else 404. */
export async function knownUserId(
  { stores }: GatewayAdminDeps,
  authority: Authority,
  reference: string,
): Promise<number> {
  const user = await findUser(stores, reference);
  const missing = new GatewayError("not_found", "There is no such user.");
  if (!user) throw missing;
  if (authority.kind === "operator" || authority.userId === user.id) return user.id;
  const own = await organizationsOf(stores, authority);
  const found = await Promise.all(
    own.map(({ organization }) => stores.organizationMembers.find(organization.id, user.id)),
  );
  if (!found.some((member) => member !== null)) throw missing;
  return user.id;
}
