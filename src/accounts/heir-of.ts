import type { NamedMember, OrganizationRole } from "./records.ts";
import type { AccountStores } from "./store.ts";

/**
 * Who owns an organization when somebody leaves it: of its other owners the one who has been in it for the longest. Who is shut
 * out could neither manage nor pay anything, and is none.
 */
export async function heirOf(
  { users }: Pick<AccountStores, "users">,
  members: readonly NamedMember<OrganizationRole>[],
  leavingId: number,
): Promise<NamedMember<OrganizationRole> | null> {
  const owners = members
    .filter((member) => member.role === "owner" && member.userId !== leavingId)
    .sort((a, b) => a.joinedAt - b.joinedAt || a.userId - b.userId);
  for (const owner of owners) if ((await users.find(owner.userId))?.status === "active") return owner;
  return null;
}
