import Type from "typebox";
import type { Sessions } from "../../accounts/sessions.ts";
import { Email, isoTime, Password, TokenView } from "../../contract/users.ts";
import { json } from "../../http/reply.ts";
import { route } from "../../http/route.ts";
import { deviceOf } from "./device.ts";

export const logIn = (sessions: Sessions) =>
  route({
    method: "POST",
    paths: ["/api/auth/token"],
    tag: "Account",
    summary: "Log in with e-mail and password",
    auth: "none",
    body: Type.Object({ email: Email, password: Password }),
    success: TokenView,
    errors: ["authentication", "rate_limit", "database"],
    async handle({ body, request, connection }) {
      const { token, expiresAtMs } = await sessions.logIn(body.email, body.password, deviceOf(request, connection));
      return json({ token, expiresAt: isoTime(expiresAtMs) });
    },
  });
