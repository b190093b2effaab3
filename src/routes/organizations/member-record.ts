import type { Invitation, NamedMember, OrganizationRole } from "../../accounts/records.ts";
import type { MemberRecord } from "../../contract/organizations.ts";
import { isoTime } from "../../contract/users.ts";

/** A membership has no number of its own: within one organization or team the person is its id. */
export const memberRecord = ({ userId, email, name, role, joinedAt }: NamedMember<OrganizationRole>): MemberRecord => ({
  id: userId,
  userId,
  email,
  name,
  role,
  status: "active",
  joinedAt: isoTime(joinedAt),
});

/** Somebody who has not joined yet. */
export const invitedRecord = ({ id, email, role }: Invitation): MemberRecord => ({
  id,
  userId: null,
  email,
  name: "",
  role,
  status: "invited",
  joinedAt: null,
});
