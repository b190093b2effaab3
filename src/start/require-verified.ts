import type { SessionCaller } from "../contract/caller.ts";
import { GatewayError } from "../contract/errors.ts";
import type { Route } from "../http/route.ts";

/** What people need to get to a verified address, or away. Whoever may call with a key too is asked only as a person. */
const isFree = ({ auth, tag, method, paths }: Route): boolean =>
  (auth !== "session" && auth !== "any") ||
  (tag === "Account" && !(method === "POST" && paths.includes("/api/auth/connect"))) ||
  paths.includes("/api/invitations/accept");

/**
 * Where the installation asks for it, people do nothing here before mail has reached them. Administrators of the installation
 * are let through, so that nobody is locked out by a mail server that does not work.
 */
export const requireVerified = (routes: readonly Route[], isRequired: () => boolean): Route[] =>
  routes.map((route) => {
    if (isFree(route)) return route;
    const { handle } = route;
    return {
      ...route,
      errors: [...new Set([...route.errors, "permission" as const])],
      handle(context) {
        const { caller } = context;
        if (caller?.kind === "session") requireVerifiedCaller(caller, isRequired());
        return handle(context);
      },
    };
  });

export function requireVerifiedCaller({ emailVerified, role }: SessionCaller, isRequired: boolean): void {
  if (!isRequired || emailVerified || role === "admin") return;
  throw new GatewayError("permission", "Open the link that was mailed to you first, or ask for another letter.");
}
