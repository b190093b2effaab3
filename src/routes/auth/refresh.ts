import type { Sessions } from "../../accounts/sessions.ts";
import { GatewayError } from "../../contract/errors.ts";
import { bearer } from "../../http/credential-headers.ts";
import { route } from "../../http/route.ts";
import { cookieAnswer, type SessionAnswers, SessionView, tokenAnswer } from "./answer-session.ts";

/** Not `auth: "session"`: a token that has just ended is still good for this. */
export const refreshToken = (sessions: Sessions, answers: SessionAnswers) =>
  route({
    method: "POST",
    paths: ["/api/auth/token/refresh"],
    tag: "Account",
    summary: "Get a new token for the present session",
    auth: "none",
    success: SessionView,
    errors: ["authentication", "permission", "database"],
    async handle({ request }) {
      const header = request.headers.get("authorization");
      if (header !== null) return tokenAnswer(await sessions.refresh(bearer(header)));
      const token = answers.cookie.find(request);
      if (token === null) throw new GatewayError("authentication", "Log in first: no bearer token was sent.");
      const approve = (sessionId: string): void => answers.cookie.requireOwnPage(request, sessionId);
      return cookieAnswer(answers, request, await sessions.refresh(token, approve));
    },
  });
