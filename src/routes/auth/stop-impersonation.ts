import Type from "typebox";
import type { Impersonation } from "../../accounts/impersonation.ts";
import { GatewayError } from "../../contract/errors.ts";
import { json } from "../../http/reply.ts";
import { route } from "../../http/route.ts";
import type { SessionAnswers } from "./answer-session.ts";

/** Not `auth: "session"`: one that is over already has to be left too. */
export const stopImpersonation = (impersonation: Impersonation, { cookie }: SessionAnswers) =>
  route({
    method: "POST",
    paths: ["/api/auth/impersonation/stop"],
    tag: "Account",
    summary: "Go back from seeing the platform as somebody else to one's own session",
    auth: "none",
    success: Type.Object({ success: Type.Boolean() }),
    errors: ["permission", "not_found", "database"],
    async handle({ request, connection }) {
      const seenAsId = cookie.seenAs.find(request);
      if (seenAsId === null) throw new GatewayError("not_found", "You do not see the platform as somebody else.");
      if (!cookie.isOwnOrigin(request)) {
        throw new GatewayError(
          "permission",
          "A change with a session cookie has to come from this server's own pages.",
        );
      }
      const token = cookie.find(request);
      const approve = (sessionId: string): void => cookie.requireOwnPage(request, sessionId);
      if (token !== null) await impersonation.end(token, seenAsId, connection.remoteAddress, approve);
      return json({ success: true }, 200, { "set-cookie": cookie.seenAs.clear(request) });
    },
  });
