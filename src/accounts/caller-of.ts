import type { SessionCaller } from "../contract/caller.ts";
import type { User } from "./records.ts";

/** Somebody who acts without a session: they have proved who they are in another way. */
export const callerOf = ({ id: userId, email, emailVerifiedAt, name, role, viewer }: User): SessionCaller => ({
  kind: "session",
  sessionId: "",
  userId,
  email,
  emailVerified: emailVerifiedAt !== null,
  name,
  role,
  organizationId: null,
  ...(role === "admin" && viewer ? { readsOnly: true } : {}),
});
