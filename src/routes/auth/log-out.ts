import Type from "typebox";
import type { Sessions } from "../../accounts/sessions.ts";
import { json } from "../../http/reply.ts";
import { route } from "../../http/route.ts";
import type { SessionAnswers } from "./answer-session.ts";

export const logOut = (sessions: Sessions, { cookie }: SessionAnswers) =>
  route({
    method: "POST",
    paths: ["/api/auth/logout"],
    tag: "Account",
    summary: "End the present session",
    auth: "session",
    success: Type.Object({ success: Type.Boolean() }),
    errors: ["not_found"],
    async handle({ caller, request, connection }) {
      await sessions.revoke(caller, caller.sessionId, connection.remoteAddress);
      const answer = json({ success: true });
      if (cookie.find(request) !== null) answer.headers.append("set-cookie", cookie.clear(request));
      return answer;
    },
  });
