import type { User } from "../../accounts/records.ts";
import { isoTime, isoTimeOrNull } from "../../contract/users.ts";

/** A user as administrators see them: field by field, so that a new column is not shown by accident. */
export const adminUserView = ({ id, email, name, role, status, createdAt, lastLoginAt }: User): object => ({
  id,
  email,
  name,
  role,
  status,
  createdAt: isoTime(createdAt),
  lastLoginAt: isoTimeOrNull(lastLoginAt),
});
