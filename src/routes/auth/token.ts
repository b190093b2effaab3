import Type from "typebox";
import type { Sessions } from "../../accounts/sessions.ts";
import { Email, isoTime, OneTimeCode, Password, TokenView } from "../../contract/users.ts";
import { json } from "../../http/reply.ts";
import { route } from "../../http/route.ts";
import { deviceOf } from "./device-of.ts";

export const logIn = (sessions: Sessions) =>
  route({
    method: "POST",
    paths: ["/api/auth/token"],
    tag: "Account",
    summary: "Log in with e-mail and password",
    description: "With a second factor, `code` is needed too: 401 with the header `x-gw-two-factor: required` says so.",
    auth: "none",
    body: Type.Object({ email: Email, password: Password, code: Type.Optional(OneTimeCode) }),
    success: TokenView,
    errors: ["authentication", "rate_limit", "database"],
    async handle({ body, request, connection }) {
      const { token, expiresAtMs } = await sessions.logIn(body, deviceOf(request, connection));
      return json({ token, expiresAt: isoTime(expiresAtMs) });
    },
  });
