import Type from "typebox";
import type { Sessions } from "../../accounts/sessions.ts";
import { json } from "../../http/reply.ts";
import { route } from "../../http/route.ts";

export const logOut = (sessions: Sessions) =>
  route({
    method: "POST",
    paths: ["/api/auth/logout"],
    tag: "Account",
    summary: "End the present session",
    auth: "session",
    success: Type.Object({ success: Type.Boolean() }),
    errors: ["not_found"],
    async handle({ caller, connection }) {
      await sessions.revoke(caller, caller.sessionId, connection.remoteAddress);
      return json({ success: true });
    },
  });
