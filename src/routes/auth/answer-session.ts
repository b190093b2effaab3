import Type from "typebox";
import type { IssuedToken } from "../../accounts/session-tokens.ts";
import { Instant, isoTime } from "../../contract/users.ts";
import { json } from "../../http/reply.ts";
import type { SessionCookie } from "../../http/session-cookie.ts";
import type { Clock } from "../../lib/clock.ts";

/** How a session is handed over: as a token, or to a browser as a cookie with the token that its changes need. */
export interface SessionAnswers {
  readonly cookie: SessionCookie;
  readonly clock: Clock;
}

export const SessionView = Type.Object({
  token: Type.Optional(Type.String({ description: "Not given to a browser: it is in the cookie." })),
  csrfToken: Type.Optional(
    Type.String({ description: "With a cookie: for the header `x-csrf-token` of each change." }),
  ),
  expiresAt: Instant,
});

export const tokenAnswer = ({ token, expiresAtMs }: IssuedToken): Response =>
  json({ token, expiresAt: isoTime(expiresAtMs) });

export function cookieAnswer({ cookie, clock }: SessionAnswers, request: Request, issued: IssuedToken): Response {
  const csrfToken = cookie.csrfTokenOf(issued.sessionId);
  const answer = json({ csrfToken, expiresAt: isoTime(issued.expiresAtMs) });
  answer.headers.append("set-cookie", cookie.give(request, issued.token, issued.expiresAtMs - clock.nowMs()));
  return answer;
}
