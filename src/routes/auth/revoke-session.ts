import Type from "typebox";
import type { Sessions } from "../../accounts/sessions.ts";
import { json } from "../../http/reply.ts";
import { route } from "../../http/route.ts";

export const revokeSession = (sessions: Sessions) =>
  route({
    method: "DELETE",
    paths: ["/api/auth/sessions/{id}"],
    tag: "Account",
    summary: "End one of one's own sessions",
    auth: "session",
    params: Type.Object({ id: Type.String() }),
    success: Type.Object({ success: Type.Boolean() }),
    errors: ["not_found"],
    async handle({ caller, params, connection }) {
      await sessions.revoke(caller, params.id, connection.remoteAddress);
      return json({ success: true });
    },
  });
