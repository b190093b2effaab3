import { organizationsOf } from "../../accounts/access.ts";
import type { Authority } from "../../accounts/authority.ts";
import { GatewayError } from "../../contract/errors.ts";
import type { GatewayAdminDeps } from "./admin-deps.ts";

/** People know themselves and who is in one of their organizations; of anybody else not even an empty list is told. */
export async function requireKnown({ stores }: GatewayAdminDeps, authority: Authority, userId: number): Promise<void> {
  const missing = new GatewayError("not_found", "There is no such user.");
  if (authority.kind === "operator") {
    if (await stores.users.find(userId)) return;
    throw missing;
  }
  if (authority.userId === userId) return;
  const own = await organizationsOf(stores, authority);
  const found = await Promise.all(
    own.map(({ organization }) => stores.organizationMembers.find(organization.id, userId)),
  );
  if (!found.some((member) => member !== null)) throw missing;
}
