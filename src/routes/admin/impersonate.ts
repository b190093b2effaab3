import Type from "typebox";
import type { Impersonation } from "../../accounts/impersonation.ts";
import type { AdminCaller, SessionCaller } from "../../contract/caller.ts";
import { GatewayError } from "../../contract/errors.ts";
import { toUserId } from "../../contract/organizations.ts";
import { Instant, isoTime, UserView } from "../../contract/users.ts";
import { json } from "../../http/reply.ts";
import { route } from "../../http/route.ts";
import type { SessionAnswers } from "../auth/answer-session.ts";

/**
 * As long as the administrator's own session may last. Were the cookie gone when the half hour is over, the calls of a page that
 * still shows the user would be the administrator's; so they are told that it is over.
 */
const COOKIE_MS = 30 * 24 * 60 * 60 * 1000;

export const impersonate = (impersonation: Impersonation, { cookie }: SessionAnswers) =>
  route({
    method: "POST",
    paths: ["/api/admin/users/{id}/impersonate"],
    tag: "Administration",
    summary: "See the platform as one of its users",
    description:
      "For an administrator's session in a browser, and for no more than 30 minutes: until then, or until " +
      "`POST /api/auth/impersonation/stop`, its calls are the user's and may only read. The administrator's own session " +
      "waits. The audit log names both, and the user sees it among their sessions.",
    auth: "admin",
    params: Type.Object({ id: Type.String({ pattern: "^[1-9][0-9]{0,9}$" }) }),
    body: Type.Object({
      reason: Type.String({ minLength: 1, maxLength: 500, description: "Why; it stands in the operators' audit log." }),
    }),
    success: Type.Object({ user: UserView, csrfToken: Type.String(), expiresAt: Instant }),
    errors: ["invalid_request", "not_found", "conflict"],
    async handle({ caller, params, body, request, connection }) {
      const { session, user } = await impersonation.begin({
        admin: inBrowser(caller, request),
        userId: toUserId(params.id),
        reason: body.reason,
        address: connection.remoteAddress,
      });
      const { id, email, name, role } = user;
      const told = { user: { id, email, name, role }, expiresAt: isoTime(session.expiresAt) };
      return json({ ...told, csrfToken: cookie.csrfTokenOf(session.id) }, 200, {
        "set-cookie": cookie.seenAs.give(request, session.id, COOKIE_MS),
      });
    },
  });

/** The log has to name a person, and only a browser has a session to come back to. */
function inBrowser(caller: AdminCaller, { headers }: Request): SessionCaller {
  if (caller.kind === "session" && !headers.has("authorization")) return caller;
  throw new GatewayError(
    "permission",
    "Log in with a browser, as an administrator, to see the platform as somebody else.",
  );
}
