import type { Sessions } from "../../accounts/sessions.ts";
import { GatewayError } from "../../contract/errors.ts";
import { isoTime, TokenView } from "../../contract/users.ts";
import { bearer } from "../../http/key-carriers.ts";
import { json } from "../../http/reply.ts";
import { route } from "../../http/route.ts";

/** Not `auth: "session"`: a token that has just ended is still good for this. */
export const refreshToken = (sessions: Sessions) =>
  route({
    method: "POST",
    paths: ["/api/auth/token/refresh"],
    tag: "Account",
    summary: "Get a new token for the present session",
    auth: "none",
    success: TokenView,
    errors: ["authentication", "database"],
    async handle({ request }) {
      const header = request.headers.get("authorization");
      if (header === null) throw new GatewayError("authentication", "Log in first: no bearer token was sent.");
      const { token, expiresAtMs } = await sessions.refresh(bearer(header));
      return json({ token, expiresAt: isoTime(expiresAtMs) });
    },
  });
