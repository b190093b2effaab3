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

/** What is said of a new session beside anything else that an answer holds: in its body, and in its headers. */
export function sessionTold(
  { cookie, clock }: SessionAnswers,
  request: Request,
  { token, sessionId, expiresAtMs }: IssuedToken,
  asCookie: boolean,
): { readonly body: Record<string, string>; readonly headers: Record<string, string> } {
  const expiresAt = isoTime(expiresAtMs);
  if (!asCookie) return { body: { token, expiresAt }, headers: {} };
  const given = cookie.give(request, token, expiresAtMs - clock.nowMs());
  return { body: { csrfToken: cookie.csrfTokenOf(sessionId), expiresAt }, headers: { "set-cookie": given } };
}

export const tokenAnswer = ({ token, expiresAtMs }: IssuedToken): Response =>
  json({ token, expiresAt: isoTime(expiresAtMs) });

export function cookieAnswer(answers: SessionAnswers, request: Request, issued: IssuedToken): Response {
  const { body, headers } = sessionTold(answers, request, issued, true);
  return json(body, 200, headers);
}
